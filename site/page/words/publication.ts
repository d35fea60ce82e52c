/** The banner's text if the publisher, the ledger or the chain lags (docs/spec/api.md#status). */
import type { PublicationStatus } from "../../../src/client/create-client.ts";
import { moment, ms } from "./time.ts";

/** One sentence for each thing that is late; none while all is well. A dead publisher knows nothing of its sources. */
export function publicationWords({ publisher, sources }: PublicationStatus, now: number): readonly string[] {
  const words: string[] = [];
  const since = (at: string | null) => (at === null ? "" : ` since ${moment(ms(at), now)}`);
  if (publisher.state === "late") {
    words.push(`The publisher is late: nothing new has been published${since(publisher.lastCycleAt)}.`);
  }
  if (publisher.state === "stopped") {
    words.push(
      `The publisher has stopped: nothing new has been published${since(publisher.lastCycleAt)}. The page shows what was known then.`,
    );
  }
  if (publisher.state !== "live") return words;
  const { ledger, chain } = sources;
  if (ledger.status === "unreadable")
    words.push("The ledger of measurements cannot be read. What was published stays.");
  if (ledger.status === "behind")
    words.push("The ledger lacks measurements that were published. What was published stays.");
  if (chain.status === "silent") words.push(`The chain's node has not answered${since(chain.lastGoodPassAt)}.`);
  if (chain.status === "behind")
    words.push(`The chain is read with a delay; it was read last at ${at(chain.lastGoodPassAt, now)}.`);
  if (chain.status === "mismatch")
    words.push("What the chain says contradicts what it must be; its views are withheld.");
  return words;
}

function at(time: string | null, now: number): string {
  return time === null ? "no time that is known" : moment(ms(time), now);
}
