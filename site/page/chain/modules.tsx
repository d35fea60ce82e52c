/** Shows the device's modules and their last reported health. A module stays ready, however old its report is. */
import type { Modules } from "../../../src/client/create-client.ts";
import { useSlowNow, useView } from "../data/use-view.ts";
import { MODULES } from "../data/views.ts";
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
    <div class="scroll" tabIndex={0} role="region" aria-label="Modules of the device">
      <table class="plain-table">
        <caption class="sr">Modules of the device</caption>
        <thead>
          <tr>
            <th scope="col">Module</th>
            <th scope="col">State</th>
            <th scope="col">Driver</th>
            <th scope="col">Said at</th>
          </tr>
        </thead>
        <tbody>
          {modules.map((module) => (
            <tr key={module.instanceId}>
              <th scope="row">
                {module.instanceId} <Provenance of={module.provenance} />
              </th>
              <td>
                {module.state}
                {typeof module.health.message === "string" && <small> {module.health.message}</small>}
              </td>
              <td>
                {module.driverId} {module.moduleVersion}
              </td>
              <td>{moment(ms(module.observedAt), now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
