/** The index that names the installations and the histories in which their observations stand. */
import { encodeInstallations } from "../../http/installations.ts";
import { INSTALLATIONS_KEY } from "../../http/keys.ts";
import type { Publication } from "../publication.ts";

/** `histories` by installation id. */
export function installationsPublication(configured: string, histories: ReadonlyMap<string, string>): Publication {
  const text = () => encodeInstallations({ configured, histories });
  return {
    resource: "observations",
    key: INSTALLATIONS_KEY,
    installationId: null,
    inputs: text,
    build() {
      const body = text();
      return { status: 200, headers: {}, body, identity: body };
    },
  };
}
