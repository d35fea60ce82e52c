/** Runs the commands of docs/cdn.md#check as written, through Varnish and nginx over the same objects. */
import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { fenced } from "../docs/markdown.ts";
import type { Front } from "./front.ts";
import { startNginx } from "./nginx.ts";
import { startVarnish } from "./varnish.ts";

const execute = promisify(execFile);
const ORIGINS = new URL("./front-origins.ts", import.meta.url).pathname;
const PAGE = new URL("../../docs/cdn.md", import.meta.url);

let origins: ChildProcess | undefined;
let front: Front | undefined;
afterEach(async () => {
  await front?.stop();
  origins?.disconnect();
  front = undefined;
  origins = undefined;
});

test.each([
  ["Varnish", startVarnish, []],
  ["nginx", startNginx, ["shared"]],
] as const)("the commands of docs/cdn.md work through %s", async (_, start, mode) => {
  origins = fork(ORIGINS, ["135000", "0", "0", ...mode]);
  const [ports] = (await once(origins, "message")) as [{ bucket: number; shim: number }];
  front = await start({
    bucket: { host: "127.0.0.1", port: ports.bucket, path: "/" },
    shim: { host: "127.0.0.1", port: ports.shim },
  });
  const env = { ...process.env, URL: `http://127.0.0.1:${front.port}` };
  const section = readFileSync(PAGE, "utf8")
    .split(/^(?=## )/m)
    .find((part) => part.startsWith("## Check it"));
  const lines = (fenced(section ?? "", "sh")[0] ?? "").trim().split("\n");
  const seen: string[] = [];
  // A grep without matches exits with 1, which is expected here.
  for (const line of lines)
    seen.push((await execute("bash", ["-c", `${line.replace("TAG", "r")}\ntrue`], { env })).stdout.trim());
  expect(seen.map((text) => /^HTTP\/1\.1 (\d+)/.exec(text)?.[1])).toEqual([
    "200",
    "304",
    "200",
    "400",
    undefined,
    undefined,
    undefined,
  ]);
  expect(seen[0]).toMatch(/^etag: "r"/im);
  expect(seen[0]).toMatch(/^cache-control: public, max-age=0, must-revalidate/im);
  expect(seen[4]).toBe("");
  expect(seen[5]?.toLowerCase()).toBe("content-encoding: gzip");
  expect(seen[6]).toBe('{"error":"not_found"}');
});
