/**
 * The state of the publication, from /status.json, for every part of the page. A sentence about the present must first look
 * at `stoppedAt`: if the publisher is not live, nobody knows more than it knew then.
 */
import { createContext } from "preact";
import type { PublicationStatus } from "../../../src/client/create-client.ts";
import { ms } from "../words/time.ts";

export interface Publication {
  /** When each response was published, by URL path with its query. */
  readonly answers?: PublicationStatus["answers"];
  /** Epoch ms of the last cycle, if the publisher is late or stopped. */
  readonly stoppedAt?: number;
}

export const PublicationContext = createContext<Publication>({});

export function publicationOf(status: PublicationStatus | undefined): Publication {
  if (status === undefined) return {};
  const { answers, publisher } = status;
  if (publisher.state === "live") return { answers };
  return { answers, stoppedAt: ms(publisher.lastCycleAt ?? publisher.renewedAt) };
}
