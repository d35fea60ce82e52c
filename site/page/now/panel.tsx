/** Now: the device, the block that is being filled, and what waits for what. */

import { useNow, useView } from "../data/use-view.ts";
import { PROCESS, SETTLEMENTS, TELEMETRY } from "../data/views.ts";
import { Panel } from "../parts/panel.tsx";
import { ms } from "../words/time.ts";
import { Block } from "./block.tsx";
import { Device } from "./device.tsx";
import { Queue } from "./queue.tsx";

const SLOW_MS = 15_000;

export function NowPanel() {
  const process = useView(PROCESS);
  const telemetry = useView(TELEMETRY);
  const settlements = useView(SETTLEMENTS.now);
  const now = useNow(SLOW_MS);
  const asOf = process.body === undefined ? undefined : ms(process.body.generatedAt);
  return (
    <Panel id="now" heading="Now" asOf={asOf} failure={process.failure} now={now}>
      <div class="now">
        <Device process={process} telemetry={telemetry.body} />
        <Block process={process.body} />
      </div>
      <Queue process={process.body} settlements={settlements.body} now={now} />
    </Panel>
  );
}
