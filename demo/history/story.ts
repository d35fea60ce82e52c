/**
 * The special events of the demo's thirty days. Each happens once, at a fixed hour after dawn. The wheel rests in the
 * last eight hours of a day.
 */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const DAYS = 30;
/** Part of a day in which the wheel turns. */
export const ACTIVE_MS = 16 * HOUR;

/** From one instant (epoch ms) up to, but not including, another. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Story {
  /** The device is off and its rounds are not closed, so they stay missing. */
  readonly gap: Span;
  /** The operator disables settlement. */
  readonly disabled: Span;
  /** The counter fails. It then restarts in a new epoch, which is approved half an hour later. */
  readonly counterFault: Span;
  readonly resetApprovedAt: number;
  /**
   * The Oracle accepts no rounds, then accepts all of them at once. It reports itself blocked for most of this span.
   */
  readonly lateAcceptance: Span;
  readonly oracleBlock: Span;
  /** The first submission prepared after this instant is reverted; its rounds are submitted again. */
  readonly revertedFrom: number;
  /** The first submission prepared after this instant is retried and then superseded. */
  readonly supersededFrom: number;
  /** An incident is open and blocks settlement. */
  readonly incident: Span;
  /** The wheel rests for two days, which include one noon-to-noon day that is fully observed and has no work. */
  readonly rest: Span;
  /** The device buffers its receipts; all are received together at the end. */
  readonly uplinkOutage: Span;
  /** The Reporter's runs fail. */
  readonly reporterFailure: Span;
}

/** `dawn` is the first dawn of the history (epoch ms). */
export function storyFrom(dawn: number): Story {
  const at = (day: number, hours: number) => dawn + day * DAY + Math.round(hours * HOUR);
  const span = (day: number, from: number, to: number): Span => ({ from: at(day, from), to: at(day, to) });
  return {
    gap: span(6, 4, 9.2),
    disabled: span(9, 7, 9),
    reporterFailure: span(11, 2, 2.5),
    counterFault: span(12, 8.3, 8.35),
    resetApprovedAt: at(12, 8.85),
    lateAcceptance: span(15, 10, 13.5),
    oracleBlock: span(15, 10.5, 13.4),
    revertedFrom: at(18, 5),
    supersededFrom: at(20, 5),
    incident: span(21, 3, 4),
    rest: span(22, 0, 48),
    uplinkOutage: span(24, 11, 11.3),
  };
}

export function isWithin({ from, to }: Span, at: number): boolean {
  return at >= from && at < to;
}
