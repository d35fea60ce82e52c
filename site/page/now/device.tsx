/** Shows the device's state as a sentence with its age, and its last measurement. */

import { useContext, useEffect, useState } from "preact/hooks";
import type { Process, Telemetry } from "../../../src/client/create-client.ts";
import { useNow } from "../data/use-view.ts";
import type { ViewState } from "../data/view.ts";
import { Exact, Figure, Provenance, Unknown } from "../parts/figure.tsx";
import { PublicationContext } from "../parts/panel.tsx";
import { type DeviceWords, deviceWords } from "../words/device.ts";
import { distance, fixed, grouped, speed } from "../words/number.ts";

export interface DeviceProps {
  readonly process: ViewState<Process>;
  readonly telemetry: Telemetry | undefined;
}

export function Device({ process, telemetry }: DeviceProps) {
  const { stoppedAt } = useContext(PublicationContext);
  const words = deviceWords(process.body, { now: useNow(), failure: process.failure, stoppedAt });
  const measurement = process.body?.measurement ?? undefined;
  const past = words.state === "silent" || words.state === "unknown";
  const installation = process.body?.installationId ?? telemetry?.installationId;
  useTitle(words, installation);
  return (
    <div class={`device ${words.state}`}>
      <p class="who">
        {installation ?? "\u00a0"} {measurement !== undefined && <Provenance of={measurement.provenance} />}
      </p>
      <p class="sentence">{words.sentence}</p>
      <p class="detail">{words.detail}</p>
      <Announce words={words} />
      <dl class={past ? "figures past" : "figures"}>
        <Figure name={past ? "Last speed" : "Speed"}>
          {measurement === undefined ? (
            <Unknown />
          ) : (
            <Exact
              short={speed(measurement.speedMmPerSecond)}
              exact={`${grouped(measurement.speedMmPerSecond)} mm/s`}
            />
          )}
        </Figure>
        <Figure name={past ? "Last turning" : "Turning"}>
          {measurement === undefined ? (
            <Unknown />
          ) : (
            <Exact
              short={`${fixed(measurement.rpmMilli / 1000, 1)} rpm`}
              exact={`${grouped(measurement.rpmMilli)} milli-rpm`}
            />
          )}
        </Figure>
        <Figure name="Distance">
          {measurement === undefined ? (
            <Unknown />
          ) : (
            <Exact short={distance(measurement.distanceMm)} exact={`${grouped(measurement.distanceMm)} mm`} />
          )}
        </Figure>
        <Figure name="Counter" note="of work, counted by the device">
          {measurement === undefined ? (
            <Unknown />
          ) : (
            <span class="num">{grouped(measurement.cumulativeWorkUnits)} units</span>
          )}
        </Figure>
      </dl>
      <p class="note">
        {telemetry?.softwareVersion === null || telemetry === undefined
          ? "\u00a0"
          : `Software ${telemetry.softwareVersion}`}
      </p>
    </div>
  );
}

/** Sets the tab's title to the page's first sentence: "Turning at 43 rpm · wheel-1". */
function useTitle({ sentence }: DeviceWords, installation: string | undefined): void {
  useEffect(() => {
    document.title = [sentence, installation ?? "Noonmark"].join(" · ");
  }, [sentence, installation]);
}

/** Announces changes of the state to screen readers, but not of age or speed. */
function Announce({ words }: { readonly words: DeviceWords }) {
  const [announced, announce] = useState<DeviceWords>();
  useEffect(() => {
    if (words.state !== "asking" && words.state !== announced?.state) announce(words);
  }, [words, announced]);
  return (
    <p class="sr" role="status">
      {announced?.sentence}
    </p>
  );
}
