import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadSettings } from "../../../../bin/cli/settings/load-settings.ts";
import { unknownVariables } from "../../../../bin/cli/settings/setting-names.ts";
import { Failure } from "../../../../src/values/failure.ts";

describe("settings are judged as a whole, and say what was meant", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "noonmark-settings-"));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  function failure(flags: Record<string, unknown>, environment: Record<string, string> = {}): string {
    try {
      loadSettings({ config: "noonmark.json", ...flags }, environment);
    } catch (error) {
      if (error instanceof Failure && error.exitCode === 2) return `${error.code}: ${error.message}`;
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
    ['{ "store": "x" ', "invalid_configuration: /given.json:1:16: close brace expected"],
    ['{\n  "store": "x"\n  "port": 1\n}', "invalid_configuration: /given.json:3:3: comma expected"],
    ["[]", "invalid_configuration: /given.json: is not one JSON object"],
    [
      '{ "instalationId": "a" }',
      'invalid_configuration: /given.json: unknown key "instalationId"; did you mean installationId?',
    ],
    ['{ "colour": "a" }', 'invalid_configuration: /given.json: unknown key "colour"'],
    ['{ "s3PathStyle": "yes" }', 'invalid_setting: /given.json: s3PathStyle "yes": is neither true nor false'],
    ['{ "chainGrace": true }', "invalid_setting: /given.json: chainGrace true: is no number"],
    ['{ "port": null }', "invalid_setting: /given.json: port null: is no number"],
  ])("%s", (text, message) => {
    expect(ofFile(text)).toBe(message);
  });

  test.each([
    [{ store: "s3:/bucket" }, 'invalid_setting: --store "s3:/bucket": is neither a directory nor s3://bucket/prefix'],
    [{ store: "file:///srv" }, 'invalid_setting: --store "file:///srv": is neither a directory nor s3://bucket/prefix'],
    [{ store: "s3://bucket/prefix" }, "accepted"],
    [{ store: "./s3:" }, "accepted"],
    [{ rpcUrl: "http://127.0.0.1:1" }, "missing_setting: rpcUrl is set and deployment is not: a chain needs both"],
    [{ deployment: "d.json" }, "missing_setting: deployment is set and rpcUrl is not: a chain needs both"],
    [{ deployment: "d.json", rpcUrl: "http://127.0.0.1:1,https://b" }, "accepted"],
    [
      { deployment: "d.json", rpcUrl: "ws://a/secret-key" },
      "invalid_setting: --rpc-url: an address in it is no http(s) URL",
    ],
    [{ port: "80a" }, 'invalid_setting: --port "80a": is no number'],
    [{ port: "65536" }, 'invalid_setting: --port "65536": must be 0 to 65535'],
    [{ s3PathStyle: true, port: "0" }, "accepted"],
  ])("%j", (flags, message) => {
    expect(failure(flags)).toBe(message);
  });

  test("variables: a near miss is refused, a stranger's is left alone", () => {
    expect(failure({}, { NOONMARK_INSTALATION_ID: "a" })).toBe(
      "unknown_variable: NOONMARK_INSTALATION_ID is no setting; did you mean NOONMARK_INSTALLATION_ID?",
    );
    expect(failure({}, { NOONMARK_SERVICE_ADDRESS_OF_KUBERNETES: "a", NOONMARK_SITE: "1" })).toBe("accepted");
    expect(unknownVariables({ NOONMARK_SERVICE_ADDRESS_OF_KUBERNETES: "a", OTHER: "b" })).toEqual([
      { variable: "NOONMARK_SERVICE_ADDRESS_OF_KUBERNETES", meant: undefined },
    ]);
    expect(failure({}, { NOONMARK_PORT: "tcp://10.0.0.1:80" })).toBe(
      'invalid_setting: NOONMARK_PORT "tcp://10.0.0.1:80": is no number',
    );
  });
});
