/** Reads the publication. If nobody publishes, checks what the next publisher needs. */

import { newDirectoryOf, openConfiguredStore } from "../configured-store.ts";
import { missingInputs, UNPUBLISHED } from "../publish/missing-inputs.ts";
import type { Settings } from "../settings/settings.ts";
import { examined, problemOf } from "./finding.ts";
import { type Publication, readPublication, type Status, silentDevice } from "./publication.ts";
import { checkRequirements, fullDisks } from "./requirements.ts";

/** `file` is the path of the configuration; `now` returns epoch ms. */
export async function readStatus(settings: Settings, file: string, now: () => number): Promise<Status> {
  const at = now();
  let publication: Publication | undefined;
  const unread = await examined("publication", async () => {
    if (newDirectoryOf(settings) === undefined)
      publication = await readPublication(await openConfiguredStore(settings, { write: false }), at);
    return [];
  });
  const made = isLeftToPublisher(publication, settings)
    ? fullDisks(settings)
    : await checkRequirements(settings, file, now);
  const isStoreFaulty = made.some(({ check, todo }) => check === "store" && todo !== null);
  // A wrong deployment file fails two checks.
  const checks = [...(isStoreFaulty ? [] : unread), ...made].filter(
    ({ saw }, at, all) => all.findIndex((one) => one.saw === saw) === at,
  );
  return {
    at,
    publication,
    checks,
    problems: [...(publication?.problems ?? []), ...checks.filter(({ todo }) => todo !== null).map(problemOf)],
    warnings: [
      ...(publication === undefined ? [] : silentDevice(publication, at)),
      ...missingInputs(publication?.responses ?? UNPUBLISHED, settings),
    ],
  };
}

/** A publisher that is alive reports its own problems. After a run has ended, only a host with a publisher's settings can check. */
function isLeftToPublisher(publication: Publication | undefined, { installationId }: Settings): boolean {
  if (publication === undefined) return false;
  return publication.state === "live" || (publication.head.lease.released && installationId === undefined);
}
