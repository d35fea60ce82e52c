/**
 * The index of installations as a response, from which `noonmark render` composes pages of observations. A publisher
 * puts the index itself (publish/plan/installations.ts).
 */
import { encodeIndex, type InstallationIndex } from "../../http/installations.ts";
import { INSTALLATIONS_KEY } from "../../http/keys.ts";
import type { Publication } from "../publication.ts";

export function indexPublication(index: InstallationIndex): Publication {
  const body = encodeIndex(index);
  return {
    resource: "observations",
    key: INSTALLATIONS_KEY,
    sources: { installationId: null },
    inputs: () => body,
    build: () => ({ status: 200, headers: {}, body, fingerprintText: body }),
  };
}
