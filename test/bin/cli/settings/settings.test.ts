import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exitCodeOf, hintOf } from "../../../../bin/cli/failures.ts";
import { loadSettings } from "../../../../bin/cli/settings/load-settings.ts";
import {
  flagName,
  type PlacedSetting,
  SETTING_NAMES,
  SETTINGS,
  type Setting,
} from "../../../../bin/cli/settings/settings.ts";
import { addAllCommands } from "../../../../bin/commands/all.ts";
import { leavesOf } from "../../../../scripts/reference.ts";
import { Failure } from "../../../../src/values/failure.ts";

const HINTS = new URL("../../../../bin/cli/failures.ts", import.meta.url).href;
const LOAD = new URL("../../../../bin/cli/settings/load-settings.ts", import.meta.url).href;

test("each setting is a flag of at least one command", async () => {
  const taken = leavesOf(await addAllCommands(new Command("noonmark"))).flatMap(({ command }) =>
    command.options.map(({ long }) => long),
  );
  expect(SETTING_NAMES.filter((name) => !taken.includes(`--${flagName(name)}`))).toEqual([]);
});

describe("settings validation", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "noonmark-settings-"));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  function failure(flags: Record<string, unknown>, environment: Record<string, string> = {}): string {
    try {
      loadSettings({ config: "noonmark.json", ...flags }, [], { environment });
    } catch (error) {
      if (error instanceof Failure && exitCodeOf(error) === 2) return `${error.code}: ${error.message}`;
      throw error;
    }
    return "accepted";
  }

  function ofFile(text: string): string {
    const path = join(directory, "given.json");
    writeFileSync(path, text);
    return failure({ config: path }).replace(directory, "").replaceAll(path, "/given.json");
  }

  test.each([
    ['{ "store": "x" ', "invalid_setting: /given.json:1:16: close brace expected"],
    ['{\n  "store": "x"\n  "port": 1\n}', "invalid_setting: /given.json:3:3: comma expected"],
    ["[]", "invalid_setting: /given.json: is not one JSON object"],
    ['{ "instalationId": "a" }', 'invalid_setting: /given.json: unknown key "instalationId"'],
    ['{ "colour": "a" }', 'invalid_setting: /given.json: unknown key "colour"'],
    ['{ "singleWriter": "yes" }', 'invalid_setting: /given.json: singleWriter "yes": is neither true nor false'],
    [
      '{ "chainMaxAge": 600000 }',
      "invalid_setting: /given.json: chainMaxAge 600000: is more than a day; the unit is seconds",
    ],
    [
      '{ "genesisTimestamp": 1767225600000 }',
      "invalid_setting: /given.json: genesisTimestamp 1767225600000: is after the year 9999; the unit is seconds",
    ],
    ['{ "chainMaxAge": true }', "invalid_setting: /given.json: chainMaxAge true: is not a number of seconds"],
    [
      '{ "logLevel": "loud" }',
      'invalid_setting: /given.json: logLevel "loud": is none of fatal, error, warn, info, debug, trace',
    ],
    ['{ "cadence": 5 }', "invalid_setting: /given.json: cadence 5: is not text"],
    ['{ "state": "" }', 'invalid_setting: /given.json: state "": is empty'],
    ['{ "port": null }', "invalid_setting: /given.json: port null: is not a number"],
  ])("the configuration %s is rejected with the position and the mistake", (text, message) => {
    expect(ofFile(text)).toBe(message);
  });

  test.each(["127.0.0.256", "1.2.3", "::12345", "http://localhost"])("host %s is rejected", (host) => {
    expect(failure({ host })).toMatch(
      /^invalid_setting: --host .*: is neither an IPv4 or IPv6 address nor a host name$/,
    );
  });

  test.each(["0.0.0.0", "::", "fe80::1%eth0", "node_1"])("host %s is accepted", (host) => {
    expect(failure({ host })).toBe("accepted");
  });

  test("an IPv6 host can be in brackets", () => {
    expect(loadSettings({ host: "[::1]" }, [], { environment: {} }).host).toBe("::1");
  });

  test("errors for a missing configuration and for a directory include the system's message", () => {
    expect(failure({ config: join(directory, "none.json") })).toContain("cannot be read: ENOENT");
    expect(failure({ config: directory })).toContain("cannot be read: EISDIR");
  });

  test.skipIf(process.getuid?.() !== 0)(
    "an unreadable configuration is reported with EACCES and the file's owner",
    () => {
      const path = join(directory, "closed.json");
      writeFileSync(path, "{}", { mode: 0o000 });
      chmodSync(directory, 0o755);
      const program = `import { loadSettings } from ${JSON.stringify(LOAD)}; import { knownHint } from ${JSON.stringify(HINTS)}; process.setuid(65534); try { loadSettings({ config: ${JSON.stringify(path)} }); } catch (error) { console.log(error.message, knownHint(error)); }`;
      const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
      expect(output).toContain(`${path}: cannot be read: EACCES`);
      expect(output).toContain("Let this user read it");
    },
  );

  test.each([
    [{ store: "s3:/bucket" }, 'invalid_setting: --store "s3:/bucket": is neither a directory nor s3://bucket/prefix'],
    [{ store: "file:///srv" }, 'invalid_setting: --store "file:///srv": is neither a directory nor s3://bucket/prefix'],
    [{ store: "s3://bucket/prefix" }, "accepted"],
    [{ store: "./s3:" }, "accepted"],
    [{ rpcUrl: "http://127.0.0.1:1" }, "invalid_setting: rpcUrl is set and deployment is not: a chain needs both"],
    [{ deployment: "d.json" }, "invalid_setting: deployment is set and rpcUrl is not: a chain needs both"],
    [{ deployment: "d.json", rpcUrl: "http://127.0.0.1:1,https://b" }, "accepted"],
    [
      { deployment: "d.json", rpcUrl: "ws://a/secret-key" },
      "invalid_setting: --rpc-url: an address in it is not an http(s) URL",
    ],
    [{ s3Endpoint: "https://s3.example:9000" }, "accepted"],
    [
      { s3Endpoint: "https://user:password@s3.example/x?token=t" },
      "invalid_setting: --s3-endpoint: may have no user, password, query or fragment: keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    ],
    [
      { s3Endpoint: "s3.example" },
      'invalid_setting: --s3-endpoint "s3.example": is not an address that begins with http:// or https://',
    ],
    [{ port: "80a" }, 'invalid_setting: --port "80a": is not a number'],
    [{ port: "65536" }, 'invalid_setting: --port "65536": must be 0 to 65535'],
    [{ singleWriter: true, port: "0" }, "accepted"],
  ])("the flags %j are rejected with the setting and the value", (flags, message) => {
    expect(failure(flags)).toBe(message);
  });

  test("--rpc-url with a part that may be a key warns of the process list, and the variable does not", () => {
    const warned = (flags: Record<string, string>, environment: NodeJS.ProcessEnv = {}) => {
      const warnings: string[] = [];
      const all = { deployment: "d.json", ...flags };
      loadSettings(all, [], { environment, onWarning: ({ code, message }) => warnings.push(`${code}: ${message}`) });
      return warnings;
    };
    const warning =
      "secret_in_arguments: --rpc-url may hold a key, and shows it to every user of this machine, in the process list";
    expect(warned({ rpcUrl: "http://127.0.0.1:1,https://node.example/v3/key-of-mine" })).toEqual([warning]);
    expect(warned({ rpcUrl: "http://127.0.0.1:1,https://b" })).toEqual([]);
    expect(warned({}, { NOONMARK_RPC_URL: "https://node.example/v3/key-of-mine" })).toEqual([]);
  });

  test("an empty variable is a mistake, and never the default", () => {
    const ofVariable = (name: string) => failure({}, { [name]: "" });
    expect(ofVariable("NOONMARK_STORE")).toBe('invalid_setting: NOONMARK_STORE "": is empty');
    expect(ofVariable("NOONMARK_CHAIN_MAX_AGE")).toBe(
      'invalid_setting: NOONMARK_CHAIN_MAX_AGE "": is not a number of seconds',
    );
    expect(() => loadSettings({}, [], { environment: { NOONMARK_CONFIG: "" } })).toThrow(
      'the path in --config or NOONMARK_CONFIG, "", is empty',
    );
  });

  test("a path with blanks at its ends, a control character or a meaning for SQLite is a mistake in each setting", () => {
    const paths = SETTING_NAMES.filter((name) => (SETTINGS[name] as Setting<unknown>).isPath?.("a/b") === true);
    expect(paths).toEqual(["ledger", "store", "state", "deployment", "logKey", "natsCreds"]);
    for (const name of paths) {
      for (const path of [
        "",
        " ",
        " a",
        "a ",
        "a\r",
        "a\u00a0",
        "a\u0000b",
        "a\tb",
        "\ud800",
        ":memory:",
        "file:a",
        "FILE:a",
      ])
        expect.soft(failure({ [name]: path }, {}), `${name} ${JSON.stringify(path)}`).toContain("invalid_setting: --");
      for (const path of ["a b", "./:memory:", "./file:a", "none"])
        expect
          .soft(
            loadSettings({ rpcUrl: "http://127.0.0.1:1", deployment: "d.json", [name]: path }, [], { environment: {} })[
              name
            ],
          )
          .toBe(path);
    }
    expect(() => loadSettings({ config: "noonmark.json\r" }, [], { environment: {} })).toThrow(
      "has a control character",
    );
  });

  test("an unknown variable is a warning, and Kubernetes' own variables are none", () => {
    const warnings: string[] = [];
    const environment = {
      NOONMARK_INSTALATION_ID: "a",
      NOONMARK_PAINT: "red",
      NOONMARK_SERVICE_PORT: "1",
      NOONMARK_SITE: "1",
    };
    loadSettings({}, [], { environment, onWarning: ({ code, message }) => warnings.push(`${code}: ${message}`) });
    expect(warnings).toEqual([
      "unknown_variable: NOONMARK_INSTALATION_ID is not a setting",
      "unknown_variable: NOONMARK_PAINT is not a setting",
    ]);
  });

  test("Kubernetes' variables for a service called noonmark are ignored, NOONMARK_PORT with a warning", () => {
    const warnings: string[] = [];
    const environment = {
      NOONMARK_PORT: "tcp://10.0.0.1:80",
      NOONMARK_PORT_80_TCP: "tcp://10.0.0.1:80",
      NOONMARK_PORT_80_TCP_PROTO: "tcp",
      NOONMARK_PORT_80_TCP_PORT: "80",
      NOONMARK_PORT_80_TCP_ADDR: "10.0.0.1",
      NOONMARK_SERVICE_HOST: "10.0.0.1",
      NOONMARK_SERVICE_PORT: "80",
      NOONMARK_SITES_PORT: "tcp://10.0.0.2:80",
    };
    const settings = loadSettings({ config: "noonmark.json" }, [], {
      environment,
      onWarning: ({ message }) => warnings.push(message),
    });
    expect(settings.port).toBe(8787);
    expect(warnings).toEqual(["NOONMARK_PORT tcp://10.0.0.1:80 is Kubernetes' address of a service, and is ignored"]);
  });

  test("all mistakes are reported together", () => {
    const path = join(directory, "given.json");
    writeFileSync(path, '{ "instalationId": "a", "genesis": 1, "chainMaxAge": "soon", "port": 70000 }');
    const flags = { config: path, chainInterval: "x" };
    const environment = { NOONMARK_DEADLINE: "never", NOONMARK_LEGDER: "b" };
    const warnings: string[] = [];
    let failure: Failure | undefined;
    try {
      loadSettings(flags, [], { environment, onWarning: ({ message }) => warnings.push(message) });
    } catch (error) {
      failure = error as Failure;
    }
    expect(failure).toMatchObject({ code: "invalid_setting", message: "6 settings are wrong" });
    expect(failure && hintOf(failure).split("\n  ")).toEqual([
      "Correct each of these:",
      `${path}: unknown key "instalationId"`,
      `${path}: unknown key "genesis"`,
      `${path}: port 70000: must be 0 to 65535`,
      `${path}: chainMaxAge "soon": is not a number of seconds`,
      '--chain-interval "x": is not a number of seconds',
      'NOONMARK_DEADLINE "never": is not a number of seconds',
    ]);
    expect(warnings).toEqual(["NOONMARK_LEGDER is not a setting"]);
  });

  test("paths in the file and defaults are relative to the file, and paths in flags and variables to the working directory", () => {
    const path = join(directory, "given.json");
    writeFileSync(path, '{ "store": "public", "deployment": "d.json", "rpcUrl": "http://a" }');
    const settings = loadSettings({ config: path, state: "here" }, [], { environment: {} });
    expect(settings).toMatchObject({
      ledger: join(directory, ".noonmark/ledger.db"),
      store: join(directory, "public"),
      deployment: join(directory, "d.json"),
      state: "here",
    });
    writeFileSync(path, '{ "store": "s3://bucket/prefix", "ledger": "none", "state": "/abs" }');
    expect(
      loadSettings({ config: path }, [], {
        environment: { NOONMARK_DEPLOYMENT: "e.json", NOONMARK_RPC_URL: "http://a" },
      }),
    ).toMatchObject({
      store: "s3://bucket/prefix",
      ledger: "none",
      state: "/abs",
      deployment: "e.json",
    });
    expect(loadSettings({ config: "noonmark.json" }, [], { environment: {} }).ledger).toBe(".noonmark/ledger.db");
  });

  test("without a configuration a command needs its ledger and its store by name", () => {
    const load = (flags: Record<string, unknown>, needs: readonly PlacedSetting[]) => {
      try {
        loadSettings(flags, needs, { environment: {} });
        return "accepted";
      } catch (error) {
        return (error as Failure).message;
      }
    };
    const missing = `there is no noonmark.json in ${process.cwd()}, and`;
    expect(load({}, ["ledger"])).toBe(`${missing} ledger (the ledger of accepted facts) is not set`);
    expect(load({}, ["store"])).toBe(`${missing} store (where responses are published) is not set`);
    expect(load({ ledger: "a.db" }, ["ledger"])).toBe("accepted");
    expect(load({}, [])).toBe("accepted");
    const path = join(directory, "empty.json");
    writeFileSync(path, "{}");
    expect(load({ config: path }, ["ledger", "store"])).toBe("accepted");
  });

  test("NOONMARK_CONFIG names the configuration file, and --config another one", () => {
    const [one, other] = [join(directory, "one.json"), join(directory, "other.json")];
    writeFileSync(one, '{ "port": 1001 }');
    writeFileSync(other, '{ "port": 1002 }');
    const environment = { NOONMARK_CONFIG: one };
    expect(loadSettings({}, [], { environment }).port).toBe(1001);
    expect(loadSettings({ config: other }, [], { environment }).port).toBe(1002);
  });
});
