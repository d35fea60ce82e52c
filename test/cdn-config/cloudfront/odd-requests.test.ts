/** CloudFront's functions under odd requests, before the shim's core: each response is that of the core alone. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cloudfrontFiles } from "../../../cdn-config/generate/cloudfront/template.ts";
import { respond } from "../../../src/shim/respond.ts";
import { CloudFront, type CloudFrontTemplate, type Origin } from "../../support/cloudfront.ts";
import { answeredByCore, essence, headersOf, written } from "../../support/scripts/answered-by-core.ts";
import { oddRequest } from "../../support/scripts/odd-requests.ts";
import { scriptWorld } from "../../support/scripts/script-world.ts";

const template = JSON.parse(cloudfrontFiles()["template.json"] ?? "") as CloudFrontTemplate;
/** CloudFront hands on neither absolute targets nor bodies; of the last header its page speaks. */
const asked = oddRequest.filter(
  ({ target, body, headers }) =>
    target.startsWith("/") &&
    body === undefined &&
    headers.every(([name]) => name.toLowerCase() !== "noonmark-none-match"),
);

test.each(["what the client sent", "what the function made of it"] as const)(
  "1,000 odd requests, each sent twice, get the shim's response if a response sees %s",
  async (responseSees) => {
    const { context } = await scriptWorld();
    const origin: Origin = async (method, url, headers) => {
      const request = { method, url, ifNoneMatch: headers["if-none-match"], front: headers["noonmark-front"] };
      const { body, ...head } = await respond(request, context);
      return { ...head, body: new TextDecoder().decode(body) };
    };
    const cloudfront = new CloudFront({ template, origin, now: () => context.now(), tiers: 1, responseSees });
    for (const request of fc.sample(asked, 1_000)) {
      const wanted = essence(await answeredByCore(request, context));
      for (let times = 0; times < 2; times++) {
        const got = await cloudfront.request(request.method, request.target, headersOf(request));
        expect(essence(got), written(request)).toBe(wanted);
      }
    }
  },
);
