/** A panel of the page: its heading, the instant of its data, and the reason if it has none. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import type { PublicationStatus } from "../../../src/client/create-client.ts";
import { fieldsOf } from "../../../src/values/unknown.ts";
import { now as currentTime } from "../data/browser.ts";
import { useSlowNow } from "../data/use-view.ts";
import type { Failure, ViewState } from "../data/view.ts";
import { reasonWords } from "../words/reasons.ts";
import { full, moment, ms } from "../words/time.ts";

/**
 * The state of the publication, from /status.json. Sentences about the present depend on `stoppedAt`: if the publisher
 * is not live, nothing after that instant is known.
 */
export interface Publication {
  /** When each response was published, by URL path and query. */
  readonly responses?: PublicationStatus["responses"];
  /** Epoch ms of the last cycle, if the publisher is late or stopped. */
  readonly stoppedAt?: number;
  /** Epoch ms until which the chain's views were known; undefined while the publisher is live, or if it is not known. */
  readonly chainKnownUntil?: number | undefined;
}

export const PublicationContext = createContext<Publication>({});

export function publicationOf(status: PublicationStatus | undefined): Publication {
  if (status === undefined) return {};
  const { responses, publisher, sources } = status;
  if (publisher.state === "live") return { responses };
  const stoppedAt = ms(publisher.lastCycleAt ?? publisher.renewedAt);
  return { responses, stoppedAt, chainKnownUntil: sources.chain.status === "followed" ? stoppedAt : undefined };
}

export interface PanelProps {
  readonly id: string;
  readonly heading: string;
  /** Epoch ms; undefined if the response does not contain it. */
  readonly asOf?: number | undefined;
  /** URL path and query. /status.json gives the instant for a response that does not contain one. */
  readonly path?: string;
  readonly view: ViewState<object>;
  /** "The chain is": begins the sentence that replaces unavailable data. If absent, the children do that. */
  readonly subject?: string;
  readonly children: ComponentChildren;
  /** True before the first response. The panel then fills the screen, so that nothing moves later. */
  readonly waiting?: boolean;
  /** Buttons next to the heading. */
  readonly controls?: ComponentChildren;
}

export function Panel({ id, heading, asOf, path = "", view, subject, children, waiting, controls }: PanelProps) {
  const now = useSlowNow();
  const { body, failure } = view;
  const reason = reasonOf(view);
  const { responses, stoppedAt = Number.POSITIVE_INFINITY } = useContext(PublicationContext);
  const published = responses?.[path];
  const at = asOf ?? (published === undefined ? undefined : ms(published.asOf));
  return (
    <section id={id} class={waiting ? "panel waiting" : "panel"} aria-labelledby={`${id}-h`}>
      <div class="head">
        <h2 id={`${id}-h`}>{heading}</h2>
        {controls}
        {/* After the publisher has stopped, a response only ages: its instant advances, but its data do not. */}
        <AsOf at={at === undefined ? undefined : Math.min(at, stoppedAt)} now={now} />
      </div>
      {failure !== undefined && (body !== undefined || subject === undefined) && <Late failure={failure} now={now} />}
      {subject !== undefined && reason !== undefined && <Unavailable what={subject} reason={reason} />}
      {children}
    </section>
  );
}

/** Returns the code of a failed request without an earlier response, or the reason in an unavailable body. */
function reasonOf({ body, failure }: ViewState<object>): string | undefined {
  if (body === undefined) return failure?.code;
  const { status, reason } = fieldsOf(body);
  return status === "unavailable" && typeof reason === "string" ? reason : undefined;
}

function AsOf({ at, now }: { readonly at: number | undefined; readonly now: number }) {
  return (
    <p class="asof">
      {at === undefined ? (
        "\u00a0"
      ) : (
        <time dateTime={new Date(at).toISOString()} title={full(at)}>
          as of {moment(at, now)}
        </time>
      )}
    </p>
  );
}

/** Notes that an earlier response is shown because newer requests fail. */
function Late({ failure, now }: { readonly failure: Failure; readonly now: number }) {
  return (
    <p class="late">
      No newer answer since {moment(failure.since, now)}. {reasonWords(failure.code).why}
    </p>
  );
}

/** Returns the instant at which the publisher stopped, as text; undefined while it is live. */
export function useStopped(): string | undefined {
  const { stoppedAt } = useContext(PublicationContext);
  return stoppedAt === undefined ? undefined : moment(stoppedAt, currentTime());
}

/** A part of a panel with its own heading. */
export function Part({ heading, children }: { readonly heading: string; readonly children: ComponentChildren }) {
  return (
    <section class="part">
      <h3>{heading}</h3>
      {children}
    </section>
  );
}

export interface FoldProps {
  readonly heading: ComponentChildren;
  readonly children: () => ComponentChildren;
}

/** Details that the reader opens. They are drawn only while they are open, so that the page stays light. */
export function Fold({ heading, children }: FoldProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{heading}</summary>
      {isOpen && children()}
    </details>
  );
}

/** Replaces unavailable data by the reason, and by what is still known. */
export function Unavailable({ what, reason }: { readonly what: string; readonly reason: string }) {
  const { why, holds } = reasonWords(reason, useStopped());
  const { chainKnownUntil } = useContext(PublicationContext);
  // The other reasons do not say that the data was ever known.
  const until = reason === "indexer_unavailable" ? chainKnownUntil : undefined;
  return (
    <div class="unavailable">
      <p>
        <strong>
          {what} not known{until !== undefined && ` after ${moment(until, currentTime())}`}.
        </strong>{" "}
        {until === undefined ? why : "Nothing newer has been published."}
      </p>
      {holds !== undefined && <p>{holds}</p>}
    </div>
  );
}
