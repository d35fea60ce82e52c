/** Shows the present: the device, the block in progress, and the settlement queue. */

import { useSlowNow, useView } from "../data/use-view.ts";
import { PROCESS, SETTLEMENTS, TELEMETRY } from "../data/views.ts";
import { Panel } from "../parts/panel.tsx";
import { ms } from "../words/time.ts";
import { Block } from "./block.tsx";
import { Device } from "./device.tsx";
import { Queue } from "./queue.tsx";

export function NowPanel() {
  const process = useView(PROCESS);
  const telemetry = useView(TELEMETRY);
  const settlements = useView(SETTLEMENTS.now);
  const now = useSlowNow();
  const asOf = process.body === undefined ? undefined : ms(process.body.generatedAt);
  return (
    <Panel id="now" heading="Now" asOf={asOf} view={process}>
      <div class="now">
        <Device process={process} telemetry={telemetry.body} />
        <Block process={process.body} />
      </div>
      <Queue process={process.body} settlements={settlements.body} now={now} />
    </Panel>
  );
}
