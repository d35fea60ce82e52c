/** A part of the page with its heading, and as of when it speaks. */
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { now as currentTime } from "../data/browser.ts";
import type { Failure } from "../data/view.ts";
import { reasonWords } from "../words/reasons.ts";
import { full, moment, ms } from "../words/time.ts";
import { PublicationContext } from "./publication.ts";

export interface PanelProps {
  readonly id: string;
  readonly heading: string;
  /** Epoch ms; undefined where nothing says it. */
  readonly asOf?: number | undefined;
  /** The response's URL path with its query: /status.json has its instant of publication, if the response itself does not. */
  readonly path?: string;
  readonly failure?: Failure | undefined;
  readonly now: number;
  readonly children: ComponentChildren;
  /** There is no response yet: the panel keeps the rest of the page below the fold, so that nothing jumps. */
  readonly waiting?: boolean;
  /** Shown beside the heading: tabs. */
  readonly controls?: ComponentChildren;
}

export function Panel({ id, heading, asOf, path = "", failure, now, children, waiting, controls }: PanelProps) {
  const { answers, stoppedAt = Number.POSITIVE_INFINITY } = useContext(PublicationContext);
  const published = answers?.[path];
  const at = asOf ?? (published === undefined ? undefined : ms(published.asOf));
  return (
    <section id={id} class={waiting ? "panel waiting" : "panel"} aria-labelledby={`${id}-h`}>
      <div class="head">
        <h2 id={`${id}-h`}>{heading}</h2>
        {controls}
        {/* A response that changed by time alone names a later instant, but knows nothing newer. */}
        <AsOf at={at === undefined ? undefined : Math.min(at, stoppedAt)} now={now} />
      </div>
      {failure !== undefined && <Late failure={failure} now={now} />}
      {children}
    </section>
  );
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

/** An earlier response is shown, because newer requests fail. */
function Late({ failure, now }: { readonly failure: Failure; readonly now: number }) {
  return (
    <p class="late">
      No newer answer since {moment(failure.since, now)}. {reasonWords(failure.code).why}
    </p>
  );
}

/** When the publisher stopped, as the page writes it; undefined while it is live. */
export function useStopped(): string | undefined {
  const { stoppedAt } = useContext(PublicationContext);
  return stoppedAt === undefined ? undefined : moment(stoppedAt, currentTime());
}

/** In place of what is not available: why, and what still holds. */
export function Unavailable({ what, reason }: { readonly what: string; readonly reason: string }) {
  const { why, holds } = reasonWords(reason, useStopped());
  return (
    <div class="unavailable">
      <p>
        <strong>{what} not known.</strong> {why}
      </p>
      <p>{holds}</p>
    </div>
  );
}
