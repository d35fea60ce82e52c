/** `noonmark key`: makes the key that signs a published log, and prints what readers need of it. */
import type { Command } from "commander";
import { verifierKey } from "../../../src/log/note.ts";
import { readLogKey, writeLogKey } from "../../cli/log-key.ts";
import { print } from "../../cli/messages.ts";

export function registerKey(program: Command): void {
  const key = program.command("key");
  key
    .command("generate")
    .description("write a new private key to a file, and print the verifier key, which readers need")
    .argument("<name>", "the host name of the deployment, such as wheel.example.org; every checkpoint carries it")
    .option("--out <file>", "the file to write, which only its owner can read", "log.key")
    .action(async (name: string, { out }: { out: string }) => {
      await print(verifierKey((await writeLogKey(out, name)).verifier));
    });
  key
    .command("show")
    .description("print the verifier keys of a key file, one a line")
    .argument("<file>", "a file that key generate wrote")
    .action(async (file: string) => {
      await print(readLogKey(file).map(({ verifier }) => verifierKey(verifier)));
    });
}
