/** The index that names the installations and the histories of their observations. */
import { encodeWholeIndex, type HistoryNames } from "../../http/installations.ts";
import { INSTALLATIONS_KEY } from "../../http/keys.ts";
import type { Publication } from "../publication.ts";

export function wholeIndexPublication(configured: string, histories: HistoryNames): Publication {
  return indexObject(INSTALLATIONS_KEY, () => encodeWholeIndex({ configured, histories }));
}

function indexObject(key: string, text: () => string): Publication {
  return {
    resource: "observations",
    key,
    sources: { installationId: null },
    inputs: text,
    build() {
      const body = text();
      return { status: 200, headers: {}, body, lasting: body };
    },
  };
}
