/** Runs the scripts and the exchanges of every row against a front over the published world. */
import { expect, test } from "vitest";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { allScripts, type Script } from "../support/scripts/all-scripts.ts";
import { runScript } from "../support/scripts/run-http-script.ts";
import { addressTarget, TRANSPORT_HEADERS } from "../support/scripts/script-targets.ts";

/** `transport`: headers that the front adds to every response, in addition to those of HTTP/1.1. */
export function testScripts(
  front: () => { readonly hostname: string; readonly port: number },
  world: () => { readonly store: Pick<ObjectStore, "get"> },
  transport: readonly string[] = [],
  scripts: readonly Script[] = allScripts(),
): void {
  for (const { name, blocks } of scripts) {
    test(`${name}, byte for byte`, async () => {
      const object = (key: string) => world().store.get(key);
      const { hostname, port } = front();
      const target = addressTarget({ hostname, port }, { object }, [...TRANSPORT_HEADERS, ...transport]);
      const outcome = await runScript(blocks, target);
      expect(outcome.differences).toEqual([]);
      expect(outcome.requests).toBeGreaterThan(0);
    });
  }
}
