/** When answers were published, for those that do not say so themselves: by URL path with its query, from /status.json. */
import { createContext } from "preact";
import type { Status } from "../data/status.ts";

export const PublishedAt = createContext<Status["answers"] | undefined>(undefined);
