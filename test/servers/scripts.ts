/** The HTTP scripts of the routes, against a front over the published world. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { parseScript } from "../support/scripts/http-script.ts";
import { runScript } from "../support/scripts/run-http-script.ts";
import { addressTarget, TRANSPORT_HEADERS } from "../support/scripts/script-targets.ts";

const DIRECTORY = new URL("../scripts/", import.meta.url);
const NAMES = readdirSync(DIRECTORY).filter((name) => name.endsWith(".http-script"));

/** `transport`: what the front adds to every answer besides what HTTP/1.1 does. */
export function followsScripts(
  front: () => { readonly hostname: string; readonly port: number },
  world: () => { readonly store: Pick<ObjectStore, "get"> },
  transport: readonly string[] = [],
): void {
  for (const name of NAMES) {
    test(`${name}, byte for byte`, async () => {
      const blocks = parseScript(name, readFileSync(new URL(name, DIRECTORY), "utf8"));
      const object = (key: string) => world().store.get(key);
      const { hostname, port } = front();
      const target = addressTarget({ hostname, port }, { object }, [...TRANSPORT_HEADERS, ...transport]);
      const outcome = await runScript(blocks, target);
      expect(outcome.differences).toEqual([]);
      expect(outcome.requests).toBeGreaterThan(0);
    });
  }
}
