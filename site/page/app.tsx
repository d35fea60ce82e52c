/** The whole page, ordered from the present to the past. */

import { useEffect, useMemo, useState } from "preact/hooks";
import type { PublicationStatus } from "../../src/client/create-client.ts";
import { ActivityPanel } from "./activity/panel.tsx";
import { ModulesPanel } from "./chain/modules.tsx";
import { ChainPanel } from "./chain/panel.tsx";
import { useSlowNow, useView } from "./data/use-view.ts";
import { STATUS } from "./data/views.ts";
import { DaysPanel } from "./days/panel.tsx";
import { LogPanel } from "./log/panel.tsx";
import { NowPanel } from "./now/panel.tsx";
import { PublicationContext, publicationOf } from "./parts/panel.tsx";
import { SettlementsPanel } from "./settlements/panel.tsx";
import { moment, ms } from "./words/time.ts";

/** Shows one sentence per late part of the publication. Screen readers announce changes of a `status`. */
function Banner({ status, now }: { readonly status: PublicationStatus | undefined; readonly now: number }) {
  const words = status === undefined ? [] : publicationWords(status, now);
  return (
    <div role="status" class="banner">
      {words.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </div>
  );
}

/** Returns the banner's sentences. Only a live publisher's sources are mentioned, because others are unknown. */
function publicationWords({ publisher, sources }: PublicationStatus, now: number): readonly string[] {
  if (publisher.state !== "live") {
    const state = publisher.state === "late" ? "is late" : "has stopped";
    const last = moment(ms(publisher.lastCycleAt ?? publisher.renewedAt), now);
    // Status is renewed every ten seconds, so a measurement may be that much newer.
    return [`The publisher ${state}. Its last report is from ${last}, and what follows is about as old.`];
  }
  const words: string[] = [];
  const { ledger, chain } = sources;
  if (ledger.status === "unreadable")
    words.push("The ledger of measurements cannot be read. What was published stays.");
  if (ledger.status === "behind")
    words.push("The ledger lacks measurements that were published. What was published stays.");
  if (chain.status === "silent") words.push("The chain's node does not respond.");
  if (chain.status === "behind") words.push("The chain is read with a delay.");
  if (chain.status === "mismatch")
    words.push("What the chain says contradicts what it must be; its views are withheld.");
  return words;
}

/** Links to other forms of the same data. */
const LINKS = [
  ["openapi.json", "OpenAPI"],
  ["docs", "Reference"],
] as const;

function Footer() {
  return (
    <footer>
      <p>
        Every figure here is read from the public API; all times are UTC. What is not known is shown as not known,
        estimates and projections are <span class="projected">~ in italics</span>.
      </p>
      <p class="printed">{location.href}</p>
      <ul>
        {LINKS.map(([href, text]) => (
          <li key={href}>
            <a href={href}>{text}</a>
          </li>
        ))}
      </ul>
    </footer>
  );
}

export function App() {
  const status = useView(STATUS).body;
  const now = useSlowNow();
  const publication = useMemo(() => publicationOf(status), [status]);
  const isPainted = useAfterFirstPaint();
  return (
    <PublicationContext.Provider value={publication}>
      <main>
        <Banner status={status} now={now} />
        <NowPanel />
        {isPainted && (
          <>
            <DaysPanel />
            <SettlementsPanel />
            <ActivityPanel />
            <ChainPanel />
            <ModulesPanel />
            <LogPanel log={status?.log} />
          </>
        )}
      </main>
      {isPainted && <Footer />}
    </PublicationContext.Provider>
  );
}

/** Draws the first panel before all others, because a phone shows only this one at first. */
function useAfterFirstPaint(): boolean {
  const [isPainted, setPainted] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setPainted, 0, true);
    return () => clearTimeout(timer);
  }, []);
  return isPainted;
}
