import { expect, onTestFinished, test } from "vitest";
import { knownHint } from "../../../bin/cli/failures.ts";
import type { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { localServer } from "../../support/local-server.ts";

function failureOf(call: Promise<unknown>): Promise<StoreUnavailable> {
  return call.then(
    () => expect.unreachable("it succeeded"),
    (error: unknown) => error as StoreUnavailable,
  );
}

/** A server that rejects everything in the same way. */
async function refusing(status: number, code: string): Promise<string> {
  const { url, stop } = await localServer((request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": "application/xml" });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
  });
  onTestFinished(stop);
  return url;
}

const KEYS = { accessKeyId: "a", secretAccessKey: "b" };
const store = (client: object) =>
  new S3Store({ bucket: "bucket", prefix: "", client: { forcePathStyle: true, ...client } });

test.each([
  [404, "NoSuchBucket", /^put s3:\/\/bucket\/\S+: 404 NoSuchBucket no$/, /The bucket does not exist there/],
  [403, "SignatureDoesNotMatch", /403 SignatureDoesNotMatch/, /secret does not match the access key/],
  [403, "InvalidAccessKeyId", /403 InvalidAccessKeyId/, /does not know this access key/],
  [403, "AccessDenied", /403 AccessDenied/, /may not do that/],
])("%i %s: the put is reported, with what to do", async (status, code, message, hint) => {
  const endpoint = await refusing(status, code);
  const failure = await failureOf(store({ endpoint, region: "x", credentials: KEYS }).probe());
  expect(failure.message).toMatch(message);
  expect(knownHint(failure)).toMatch(hint);
});

test("a missing region and missing credentials are reported with the settings", async () => {
  const region = async () => {
    throw new Error("Region is missing");
  };
  expect(knownHint(await failureOf(store({ region, credentials: KEYS }).probe()))).toContain("AWS_REGION");
  const credentials = async () => {
    throw Object.assign(new Error("Could not load credentials from any providers"), {
      name: "CredentialsProviderError",
    });
  };
  expect(knownHint(await failureOf(store({ region: "x", credentials }).probe()))).toContain("AWS_ACCESS_KEY_ID");
});
