/** Shows the device's modules and their last reported health. A module stays ready, however old its report is. */
import type { Modules } from "../../../src/client/create-client.ts";
import { useSlowNow, useView } from "../data/use-view.ts";
import { MODULES } from "../data/views.ts";
import { Facts } from "../parts/facts.tsx";
import { Provenance } from "../parts/figure.tsx";
import { Panel } from "../parts/panel.tsx";
import { moment, ms } from "../words/time.ts";

export function ModulesPanel() {
  const view = useView(MODULES);
  const { body } = view;
  const now = useSlowNow();
  return (
    <Panel id="modules" heading="Modules" path="/v1/public/modules" view={view} subject="The modules are">
      {body?.modules.length === 0 && <p>No module has ever reported.</p>}
      {body !== undefined && body.modules.length > 0 && <List modules={body.modules} now={now} />}
    </Panel>
  );
}

function List({ modules, now }: { readonly modules: Modules["modules"]; readonly now: number }) {
  return (
    <Facts
      caption="Modules of the device"
      columns={["Module", "State", "Driver", "Reported"]}
      rows={modules.map((module) => ({
        key: module.instanceId,
        cells: [
          <>
            {module.instanceId} <Provenance of={module.provenance} />
          </>,
          <>
            {module.state}
            {typeof module.health.message === "string" && <small> {module.health.message}</small>}
          </>,
          `${module.driverId} ${module.moduleVersion}`,
          moment(ms(module.observedAt), now),
        ],
      }))}
    />
  );
}
