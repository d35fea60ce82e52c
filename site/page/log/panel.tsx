/**
 * Shows the public log: how many facts it has, their root, and the key that signs it. Without a key there is no panel.
 */
import type { PublicationStatus } from "../../../src/client/create-client.ts";
import { Facts } from "../parts/facts.tsx";
import { grouped } from "../words/number.ts";

export function LogPanel({ log }: { readonly log: PublicationStatus["log"] | undefined }) {
  if (log == null || log.origin === null) return null;
  const { size, root, origin, verifierKey } = log;
  return (
    <section id="log" class="panel" aria-labelledby="log-h">
      <div class="head">
        <h2 id="log-h">Log</h2>
      </div>
      <p>
        Every accepted fact is an entry of a log that only grows. Its operator signs it, so a fact that was changed or
        taken out later can be noticed. Anybody can <a href="docs#log">check it</a>.
      </p>
      <Facts
        caption="The log"
        columns={["Log", "Value"]}
        rows={[
          { key: "name", cells: ["Name", <span class="text">{origin}</span>] },
          { key: "size", cells: ["Entries", grouped(size)] },
          { key: "root", cells: ["Root, one hash of all entries", <span class="hash text">{root}</span>] },
          ...verifierKey.map((key) => ({ key, cells: ["Key that signs", <span class="hash text">{key}</span>] })),
        ]}
      />
    </section>
  );
}
