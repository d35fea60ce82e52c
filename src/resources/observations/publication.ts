/**
 * The index of installations as a response, from which `noonmark render` composes pages of observations. A publisher
 * puts the index itself (publish/plan/installations.ts).
 */
import { encodeWholeIndex, type HistoryNames } from "../../http/installations.ts";
import { INSTALLATIONS_KEY } from "../../http/keys.ts";
import type { Publication } from "../publication.ts";

export function wholeIndexPublication(configured: string, histories: HistoryNames): Publication {
  const body = encodeWholeIndex({ configured, histories });
  return {
    resource: "observations",
    key: INSTALLATIONS_KEY,
    sources: { installationId: null },
    inputs: () => body,
    build: () => ({ status: 200, headers: {}, body, lasting: body }),
  };
}
