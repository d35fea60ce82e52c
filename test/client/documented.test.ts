/** Runs the programs of docs/client.md and docs/log.md. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { verifierKey } from "../../src/log/note.ts";
import type { Signer } from "../../src/log/signer.ts";
import { fenced } from "../docs/markdown.ts";
import { entryText, LogPublisher } from "../log/support/published-log.ts";
import { json, misbehavingServer } from "./support/misbehaving-server.ts";

const ROOT = join(import.meta.dirname, "../..");
const golden = (path: string) => JSON.parse(readFileSync(join(ROOT, "test/resources", path), "utf8")) as object;

const BODIES: Readonly<Record<string, object>> = {
  "/v4/public/process": golden("process/golden/ready.json"),
  "/v4/public/settlements?range=7d": golden("settlements/golden/v4-7d.json"),
  "/v1/public/installations/wheel-1/observations": { schemaVersion: 1, items: [{ sequence: 41 }], nextCursor: null },
  "/v1/public/telemetry": { schemaVersion: 1, status: "stale" },
};

test("the program of docs/client.md prints the values of the bodies", async () => {
  const server = await misbehavingServer(({ url = "" }, response) =>
    json(response, BODIES[url] ?? { error: "not_found" }, {}, url in BODIES ? 200 : 404),
  );
  const [lines = ""] = fenced(readFileSync(join(ROOT, "docs/client.md"), "utf8"), "ts");
  const program = lines.replace("https://your.host", server.base);
  expect(program).toContain(server.base);
  // The package imports itself by name, so this is the built client through its exports. Its last line watches forever.
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { cwd: ROOT });
  let output = "";
  child.stdout.on("data", (data: Buffer) => {
    output += data.toString();
    if (output.includes("stale")) child.kill();
  });
  child.stderr.on("data", (data: Buffer) => {
    output += data.toString();
  });
  await once(child, "close");
  const { builder } = BODIES["/v4/public/process"] as { builder: { projected: { blockHeight: string } } };
  const amounts = output.trim().split("\n").slice(1, -2);
  expect(output).toBe(
    `${BigInt(builder.projected.blockHeight) + 1n}n\n${amounts.map((one) => `${one}\n`).join("")}41\nstale\n`,
  );
  expect(amounts.length).toBeGreaterThan(0);
  for (const one of amounts) expect(one).toMatch(/^\d+(?:\.\d*[1-9])?$/);
});

test("the program of docs/log.md reads a log and proves its entries", async () => {
  const publisher = new LogPublisher();
  const { size } = publisher.grow(300);
  const server = await misbehavingServer(({ url = "" }, response) => {
    const bytes = publisher.files.get(url.replace("/log/", ""));
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  });
  const [lines = ""] = fenced(readFileSync(join(ROOT, "docs/log.md"), "utf8"), "ts");
  const key = verifierKey((publisher.signers[0] as Signer).verifier);
  const program = lines.replace("https://your.host", server.base).replace("NAME+ID+DATA", key);
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { cwd: ROOT });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(stderr).toBe("");
  expect(stdout).toContain(`size: ${size},`);
  expect(stdout).toContain(`\n297 ${entryText(297)}\n298 ${entryText(298)}\n299 ${entryText(299)}\nfalse\n`);
});
