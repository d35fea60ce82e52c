/** `noonmark openapi`: the OpenAPI 3.1 document on stdout. */
import type { Command } from "commander";
import { packageVersion } from "../../../src/files/package-file.ts";
import { openApiDocument } from "../../../src/openapi/document.ts";
import { documentText } from "../../../src/openapi/server.ts";
import { EXIT, Failure } from "../../../src/values/failure.ts";
import { withoutLast } from "../../../src/values/text.ts";
import { apiUrl } from "../../cli/arguments.ts";
import { loadSettings } from "../../cli/settings/load-settings.ts";
import { settingOptions } from "../../cli/settings/setting-options.ts";

export function registerOpenapi(program: Command): void {
  const command = program
    .command("openapi")
    .description("print the OpenAPI 3.1 document, made from the table of routes and the schemas")
    .option("--server <url>", "the API's address in it (default: the setting publicUrl)");
  settingOptions(command, ["publicUrl"]).action(({ server }: { readonly server?: string }) => {
    const { publicUrl } = loadSettings(command.opts(), []);
    const address = server === undefined ? publicUrl : serverAddress(server);
    const text = documentText(openApiDocument({ version: packageVersion(), server: address }));
    console.log(text.trimEnd());
  });
}

function serverAddress(text: string): string {
  if (apiUrl(text) !== undefined) return withoutLast(text, "/");
  throw new Failure("invalid_setting", `--server "${text}" is not an address of an API`, {
    exit: EXIT.usage,
    hint: "Give https://HOST[/PREFIX], without query, fragment and credentials.",
  });
}
