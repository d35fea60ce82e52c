/** CloudFront's functions with odd requests: each response must equal that of the shim's core. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cloudfrontFiles } from "../../../cdn-config/generate/cloudfront/template.ts";
import { respond } from "../../../src/shim/respond.ts";
import { CloudFront, type CloudFrontTemplate, type Origin } from "../../support/cloudfront.ts";
import { coreResponse, essence, headersOf, written } from "../../support/scripts/core-response.ts";
import { oddRequest } from "../../support/scripts/odd-requests.ts";
import { scriptWorld } from "../../support/scripts/script-world.ts";

const template = JSON.parse(cloudfrontFiles()["template.json"] ?? "") as CloudFrontTemplate;
/** CloudFront forwards neither absolute targets nor bodies. docs/cdn-cloudfront.md documents the last header. */
const forwardable = oddRequest.filter(
  ({ target, body, headers }) =>
    target.startsWith("/") &&
    body === undefined &&
    headers.every(([name]) => name.toLowerCase() !== "noonmark-none-match"),
);

test.each(["original request", "rewritten request"] as const)(
  "1,000 odd requests, each sent twice, get the shim's response if the response function sees the %s",
  async (responseSees) => {
    const { context } = await scriptWorld();
    const origin: Origin = async (method, url, headers) => {
      const request = { method, url, ifNoneMatch: headers["if-none-match"], front: headers["noonmark-front"] };
      const { body, ...head } = await respond(request, context);
      return { ...head, body: new TextDecoder().decode(body) };
    };
    const cloudfront = new CloudFront({ template, origin, now: () => context.now(), tiers: 1, responseSees });
    for (const request of fc.sample(forwardable, 1_000)) {
      const expected = essence(await coreResponse(request, context));
      for (let times = 0; times < 2; times++) {
        const got = await cloudfront.request(request.method, request.target, headersOf(request));
        expect(essence(got), written(request)).toBe(expected);
      }
    }
  },
);
