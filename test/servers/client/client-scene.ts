/**
 * A program that uses the client in any runtime, against a well-behaved and a misbehaving server. Returns plain data to
 * the test.
 */
import { amount, type Client, createClient, NoonmarkError, units } from "../../../src/client/create-client.ts";
import { openLog } from "../../../src/client/log.ts";

export interface SceneAddresses {
  /** The shim over the world of the HTTP scripts. */
  readonly good: string;
  /** Each fault has its own subpath: `client-scene-servers.ts`. */
  readonly bad: string;
  /** A server with a log, and its key. */
  readonly log: string;
  readonly key: string;
}

export async function clientScene({ good, bad, log, key }: SceneAddresses): Promise<Record<string, unknown>> {
  const api = createClient({ baseUrl: good });
  const at = (fault: string) => createClient({ baseUrl: `${bad}/${fault}`, retries: 0 });
  return {
    ...(await responsesOf(api)),
    ...(await walksOf(api)),
    retried: (await createClient({ baseUrl: `${bad}/busy-once` }).telemetry()).body.status,
    busy: await codeOf(at("busy").telemetry()),
    truncated: await codeOf(at("truncated").telemetry()),
    html: await codeOf(at("html").telemetry()),
    hang: await codeOf(createClient({ baseUrl: `${bad}/hang`, retries: 0, timeout: 200 }).telemetry()),
    hangInBody: await codeOf(createClient({ baseUrl: `${bad}/hang-in-body`, retries: 0, timeout: 200 }).telemetry()),
    aborted: await abortedWhile((signal) => at("hang").telemetry({ signal })),
    abortedInWait: await abortedWhile((signal) => createClient({ baseUrl: `${bad}/busy-long` }).telemetry({ signal })),
    repeating: await codeOf(all(at("repeating").eachObservation("w"))),
    nobody: await codeOf(createClient({ baseUrl: "http://127.0.0.1:1", retries: 0 }).telemetry()),
    units: String(units("115792089237316195423570985008687907853269984665640564039457584007913129639935")),
    amount: amount("1500000000000000000", 18),
    log: await logOf(log, key),
    otherKey: await codeOf(openLog({ baseUrl: log, key: key.replace(/.*\+/, "x+00000000+") })),
    noLog: await codeOf(openLog({ baseUrl: `${log}/none`, key })),
  };
}

async function logOf(baseUrl: string, key: string) {
  const log = await openLog({ baseUrl, key });
  const entries = await all(log.entries({ from: 255, to: 257 }));
  const [first] = entries;
  return [log.checkpoint.size, entries, await log.includes(255, first?.text ?? ""), await log.includes(0, "")];
}

async function responsesOf(api: Client) {
  const telemetry = await api.telemetry();
  const first = await api.process();
  const second = await api.process();
  const settlements = await api.settlements({ queue: true });
  return {
    telemetry: [telemetry.body.status, telemetry.etag],
    unchanged: [first.notModified, second.notModified, first.body === second.body, second.etag],
    source: settlements.headers.get("x-service-settlement-source"),
    refused: await codeOf(api.observations("wheel-1", { cursor: "?" })),
    unavailable: await codeOf(all(api.eachActivity())),
    noSuchId: await codeOf(api.installationTelemetry("..")),
  };
}

async function walksOf(api: Client) {
  const observations = await all(api.eachObservation("wheel-1"));
  const events = await all(api.eachActivity({ category: "protocol", limit: 2 }));
  const controller = new AbortController();
  let watched = 0;
  const watching = async () => {
    for await (const { body } of api.watch("process", undefined, { every: 100, signal: controller.signal })) {
      if (body.schemaVersion === 4) watched++;
      controller.abort();
    }
  };
  const code = await codeOf(watching());
  const sequences = observations.map(({ sequence }) => sequence);
  return {
    walked: [sequences.length, sequences.every((sequence, index) => sequence === index)],
    events: events.map(({ id }) => id),
    watched: [watched, code],
  };
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    return error instanceof NoonmarkError ? [error.code, error.status] : String(error);
  }
}

async function abortedWhile(call: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
  const controller = new AbortController();
  const outcome = codeOf(call(controller.signal));
  setTimeout(() => controller.abort(), 50);
  return outcome;
}
