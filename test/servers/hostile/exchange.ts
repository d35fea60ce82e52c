/** Sends hostile requests over connections and returns their outcomes. */
import { connect } from "node:net";
import type { Malformed } from "../../support/hostile/requests.ts";
import type { OddRequest } from "../../support/scripts/odd-requests.ts";
import type { ScriptResponse } from "../../support/scripts/run-http-script.ts";
import { headOf, parseResponse } from "../scenes/raw-request.ts";

/** `cut`: the connection ended before a whole response. `hang`: no response and no end in time. */
export type Outcome = ScriptResponse | "cut" | "hang";

/** Longer than all request timeouts of the servers (shim: 15 s; Varnish and nginx: 10 s per origin). */
const HANG_MS = 30_000;
/**
 * Invalid bytes leave a server waiting for more, so the client closes after this time. A busy server gets a second
 * chance.
 */
const END_AFTER_MS = [250, 10_000];

/** Pipelines requests over one connection. Requests without a response at its end are sent on another one. */
export async function pipelineAll(port: number, requests: readonly OddRequest[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  while (outcomes.length < requests.length) {
    const responses = await pipelineOnce(port, requests.slice(outcomes.length));
    outcomes.push(...responses);
    if (responses.length === 0) outcomes.push("cut");
  }
  return outcomes;
}

function pipelineOnce(port: number, requests: readonly OddRequest[]): Promise<Outcome[]> {
  return new Promise((resolve) => {
    const answers: Outcome[] = [];
    let bytes: Buffer = Buffer.alloc(0);
    const socket = connect(port, "127.0.0.1");
    const end = () => {
      clearTimeout(deadline);
      socket.destroy();
      resolve(answers);
    };
    const deadline = setTimeout(() => {
      answers.push("hang");
      end();
    }, HANG_MS);
    socket.on("data", (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      for (
        let method = requests[answers.length]?.method;
        method !== undefined;
        method = requests[answers.length]?.method
      ) {
        const parsed = parseResponse(bytes, method);
        if (parsed === undefined) return;
        answers.push(parsed.answer);
        bytes = bytes.subarray(bytes.length - parsed.beyond);
      }
      end();
    });
    socket.on("error", end).on("close", end);
    socket.write(requests.map((request) => headOf(request, "keep-alive")).join(""), "latin1");
  });
}

/** Sends raw bytes over a separate connection and returns the first response. */
export async function sendMalformed(
  port: number,
  malformed: Malformed,
  [endAfterMs = 0, ...later] = END_AFTER_MS,
): Promise<Outcome> {
  const { outcome, isEnded } = await sendOnce(port, malformed, endAfterMs);
  return outcome === "cut" && isEnded && later.length > 0 ? sendMalformed(port, malformed, later) : outcome;
}

/** `isEnded`: the client gave up before there was a response. */
function sendOnce(
  port: number,
  { method, bytes }: Malformed,
  endAfterMs: number,
): Promise<{ readonly outcome: Outcome; readonly isEnded: boolean }> {
  return new Promise((resolve) => {
    let buffer = Buffer.alloc(0);
    let isEnded = false;
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const end = (outcome: Outcome) => {
      clearTimeout(deadline);
      clearTimeout(ending);
      socket.destroy();
      resolve({ outcome, isEnded });
    };
    const deadline = setTimeout(() => end("hang"), HANG_MS);
    const ending = setTimeout(() => {
      isEnded = true;
      socket.end();
    }, endAfterMs);
    socket.on("data", (chunk: Buffer) => {
      buffer = Buffer.concat([buffer, chunk]);
      const parsed = parseResponse(buffer, method);
      if (parsed !== undefined) end(parsed.answer);
    });
    socket.on("error", () => end("cut")).on("end", () => end("cut"));
    socket.write(bytes, "latin1");
  });
}
