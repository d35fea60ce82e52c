/** When answers were published, for those that do not say so themselves: by URL path with its query, from /status.json. */

import { createContext } from "preact";
import type { PublicationStatus } from "../../../src/client/create-client.ts";

export const PublishedAt = createContext<PublicationStatus["answers"] | undefined>(undefined);
