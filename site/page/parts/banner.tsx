/** Above everything, when what is published lags. The place is said to be a status, so that its change is read out. */
import type { PublicationStatus } from "../../../src/client/create-client.ts";
import { moment, ms } from "../words/time.ts";

export function Banner({ status, now }: { readonly status: PublicationStatus | undefined; readonly now: number }) {
  const words = status === undefined ? [] : publicationWords(status, now);
  return (
    <div role="status" class={words.length === 0 ? "banner quiet" : "banner"}>
      {words.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );
}

/** One sentence for each thing that is late; none while all is well. A dead publisher knows nothing of its sources. */
function publicationWords({ publisher, sources }: PublicationStatus, now: number): readonly string[] {
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
