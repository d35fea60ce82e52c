import { expect, onTestFinished, test } from "vitest";
import { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { localServer } from "../../support/local-server.ts";

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
  await expect(store({ endpoint, region: "x", credentials: KEYS }).probe()).rejects.toMatchObject({
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  });
});

test("a missing region and missing credentials are reported with the settings", async () => {
  const region = async () => {
    throw new Error("Region is missing");
  };
  await expect(store({ region, credentials: KEYS }).probe()).rejects.toMatchObject({
    hint: expect.stringContaining("--s3-region"),
  });
  const credentials = async () => {
    throw Object.assign(new Error("Could not load credentials from any providers"), {
      name: "CredentialsProviderError",
    });
  };
  await expect(store({ region: "x", credentials }).probe()).rejects.toMatchObject({
    hint: expect.stringContaining("AWS_ACCESS_KEY_ID"),
  });
});
