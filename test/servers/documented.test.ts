/**
 * Runs the commands of the CDN pages as written, on a Debian with its stock packages. Each run has separate namespaces,
 * so that port 80, /etc/nginx and /etc/hosts are private.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testFolder } from "../support/test-folder.ts";

const ROOT = new URL("../../", import.meta.url);
const ORIGINS = new URL("./front-origins.ts", import.meta.url).pathname;
const MAIN = new URL("../../bin/main.ts", import.meta.url).href;
const SECRET = "0123456789abcdef-secret";

let folder = "";
let running: ChildProcess | undefined;
beforeEach(() => {
  folder = testFolder();
});
afterEach(async () => {
  if (running?.pid !== undefined && running.exitCode === null) {
    const exited = once(running, "exit");
    // The namespace's first process. When it ends, all others in the namespace end.
    running.kill("SIGKILL");
    await exited;
  }
});

/** The shell commands of a page's section. */
function commands(page: string, heading: string): string {
  const text = readFileSync(new URL(page, ROOT), "utf8");
  const section = text.split(/^(?=#)/m).find((part) => part.split("\n", 1)[0]?.replace(/^#+ /, "") === heading);
  const block = /```sh\n([\s\S]*?)```/.exec(section ?? "")?.[1];
  if (block === undefined) throw new Error(`${page} has no commands under ${heading}`);
  return block;
}

/** Runs a script as root in a new namespace and returns its output. */
async function onDebian(script: string): Promise<string> {
  writeFileSync(
    join(folder, "noonmark"),
    `#!/bin/bash\nexec ${process.execPath} --input-type=module -e 'import { main } from "${MAIN}"; await main(["node", "noonmark", ...process.argv.slice(1)])' -- "$@"\n`,
  );
  chmodSync(join(folder, "noonmark"), 0o755);
  const machine = `set -e
export PATH=${folder}:$PATH URL=http://127.0.0.1
ip link set lo up
mkdir ${folder}/etc ${folder}/varnish && cp -a /etc/nginx/. ${folder}/etc && mount --bind ${folder}/etc /etc/nginx
mount -t tmpfs none /run && mount -t tmpfs none /var/cache && mount -t tmpfs none /var/log && mkdir /var/log/nginx
mount -t tmpfs none /var/lib/varnish && mount -t tmpfs none /var/lib/nginx && chmod 755 ${folder}
cp -a /etc/varnish/. ${folder}/varnish && mount --bind ${folder}/varnish /etc/varnish
echo '127.0.0.1 localhost BUCKET.HOST SHIM.HOST' > ${folder}/hosts && mount --bind ${folder}/hosts /etc/hosts
cd ${folder}
${process.execPath} ${ORIGINS} 135000 8080 8787 ${SECRET} > origins.log 2>&1 &
${script.replaceAll(/\bSECRET\b/g, SECRET)}`;
  running = spawn(
    "unshare",
    ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c", machine],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const output: string[] = [];
  const errors: string[] = [];
  running.stdout?.on("data", (data: Buffer) => output.push(data.toString()));
  running.stderr?.on("data", (data: Buffer) => errors.push(data.toString()));
  const [code] = (await once(running, "close")) as [number];
  if (code !== 0) throw new Error(`exit ${code}\n${output.join("")}${errors.join("")}`);
  return output.join("");
}

/** Each command of the page, with the expected output from its comment. */
function verification(): string {
  const lines = commands("docs/cdn.md", "Check it").trim().split("\n");
  // A grep without matches exits with 1, which is expected here.
  const labelled = lines.map((command, index) => `echo; echo "== ${index}"; ${command.replace("TAG", "r")}`);
  return ["set +e", ...labelled, "true"].join("\n");
}

const WAIT_UNTIL_UP = `for i in $(seq 1000); do curl -sf -o /dev/null "$URL/v4/public/process" && break; sleep 0.1; done`;

function expectVerified(output: string): void {
  const seen = output.split(/^== \d+$/m).slice(1);
  expect(seen.map((text) => /^HTTP\/1\.1 (\d+)/m.exec(text)?.[1])).toEqual([
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
  expect(seen[4]?.trim()).toBe("");
  expect(seen[5]?.trim().toLowerCase()).toBe("content-encoding: gzip");
  expect(seen[6]?.trim()).toBe('{"error":"not_found"}');
}

test("the commands of docs/cdn.md and the Varnish page work", async () => {
  const write = commands("docs/cdn-varnish.md", "Varnish");
  const deploy = commands("docs/cdn-varnish.md", "Deploy");
  const atPort = write.replace("BUCKET.HOST", "BUCKET.HOST:8080");
  expectVerified(await onDebian(`${atPort}\n${deploy}\n${WAIT_UNTIL_UP}\n${verification()}`));
});

test("the commands of the nginx page work", async () => {
  const write = commands("docs/cdn-nginx.md", "nginx");
  const deploy = commands("docs/cdn-nginx.md", "Deploy");
  const atPort = write.replace("BUCKET.HOST", "BUCKET.HOST:8080");
  expectVerified(await onDebian(`${atPort}\n${deploy}\n${WAIT_UNTIL_UP}\n${verification()}`));
});
