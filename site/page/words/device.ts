/** Describes the device's state in one sentence (docs/spec/api.md#process: freshness, and #telemetry: status). */
import type { Process } from "../../../src/client/create-client.ts";
import type { Failure } from "../data/view.ts";
import { fixed } from "./number.ts";
import { moment, ms, span } from "./time.ts";

type DeviceState = "asking" | "turning" | "still" | "fault" | "silent" | "never" | "unknown";

export interface DeviceWords {
  readonly state: DeviceState;
  readonly sentence: string;
  /** Facts that support the sentence. */
  readonly detail: string;
}

export interface DeviceContext {
  /** Epoch ms of the server's clock. */
  readonly now: number;
  /** The failure of the newest request, if the body is an earlier one. */
  readonly failure?: Failure | undefined;
  /** When the publisher stopped (epoch ms); undefined while it is live. */
  readonly stoppedAt?: number | undefined;
}

export function deviceWords(process: Process | undefined, { now, failure, stoppedAt }: DeviceContext): DeviceWords {
  if (process === undefined) {
    return failure === undefined
      ? { state: "asking", sentence: "Asking the wheel…", detail: "The first answer is on its way." }
      : {
          state: "unknown",
          sentence: "Not known",
          detail: "No answer has been read yet. That says nothing about the wheel.",
        };
  }
  const { measurement } = process;
  if (measurement === null) {
    return {
      state: "never",
      sentence: "Never heard of",
      detail: "No measurement of this installation was ever accepted.",
    };
  }
  const receivedAt = ms(measurement.receivedAt);
  const heard = `Last heard at ${moment(receivedAt, now)}, ${span(now - receivedAt)} ago`;
  const silentFrom = receivedAt + measurement.staleAfterSeconds * 1000;
  const fresh = now <= silentFrom;
  const knownUntil = failure?.since ?? stoppedAt;
  if (!fresh && knownUntil !== undefined) {
    const until = moment(knownUntil, now);
    const cause = failure === undefined ? "Nothing has been published since then" : "This page gets no answers";
    const wasSilent = silentFrom < knownUntil;
    return {
      state: "unknown",
      sentence: wasSilent ? `Silent from ${moment(receivedAt, now)}` : `Not known since ${until}`,
      detail: `${wasSilent ? `Not known after ${until}` : cause}. ${heard}: ${lower(motion(measurement))}.`,
    };
  }
  if (!fresh) {
    return {
      state: "silent",
      sentence: `Silent since ${moment(receivedAt, now)}`,
      detail: `Nothing heard for ${span(now - receivedAt)}. Before that: ${lower(motion(measurement))}.`,
    };
  }
  if (measurement.coreStatus === "COUNTER_FAULT") {
    return {
      state: "fault",
      sentence: "Its counter is at fault",
      detail: "It reports, but what it counts is not trusted as work.",
    };
  }
  const state = measurement.rpmMilli > 0 ? "turning" : "still";
  return { state, sentence: motion(measurement), detail: `${heard}.` };
}

function motion({ rpmMilli }: NonNullable<Process["measurement"]>): string {
  return rpmMilli > 0 ? `Turning at ${fixed(rpmMilli / 1000, rpmMilli < 10_000 ? 1 : 0)} rpm` : "Standing still";
}

function lower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
