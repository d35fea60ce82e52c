/** Shows the settlement chain: the last block read, the state, and the roles that may change it. */

import type { Onchain } from "../../../src/client/create-client.ts";
import type { Available } from "../data/bodies.ts";
import { useView } from "../data/use-view.ts";
import { ONCHAIN } from "../data/views.ts";
import { Facts } from "../parts/facts.tsx";
import { Figure } from "../parts/figure.tsx";
import { OnChain } from "../parts/on-chain.tsx";
import { Fold, Panel } from "../parts/panel.tsx";
import { grouped } from "../words/number.ts";
import { clock, full, ms, shortDay } from "../words/time.ts";

export function ChainPanel() {
  const view = useView(ONCHAIN);
  const { body } = view;
  return (
    <Panel
      id="chain"
      heading="Chain"
      asOf={body?.status === "available" ? ms(body.source.blockTimestamp) : undefined}
      path="/v4/public/onchain"
      view={view}
      subject="The chain is"
    >
      {body?.status === "available" && <State onchain={body} />}
    </Panel>
  );
}

function State({ onchain }: { readonly onchain: Available<Onchain> }) {
  const { chain, core, governance, implementation } = onchain;
  return (
    <>
      <dl class="figures">
        <Figure name="Chain" note={`chain id ${chain.chainId}`}>
          <span class="text">{chain.target}</span>
        </Figure>
        <Figure name="Safe block" note={`${chain.confirmations} confirmations`}>
          <OnChain of={chain.safeThroughBlock} />
        </Figure>
        <Figure name="Read through block">{grouped(chain.indexedThroughBlock)}</Figure>
        <Figure name="Settled through round">{core.settledThroughRound}</Figure>
        <Figure
          name="Settled work"
          note={`${grouped(core.currentWork)} of ${grouped(core.workPerBlock)} in block ${grouped(BigInt(core.blockHeight) + 1n)}`}
        >
          {grouped(core.cumulativeWork)} units
        </Figure>
        <Figure name="Settled blocks">{grouped(core.blockHeight)}</Figure>
        <Figure name="Contract" note={`implementation ${implementation.codeVersion}`}>
          {core.paused ? <strong class="warned">Paused</strong> : "Running"}
        </Figure>
        <Figure name="Governance" note={governanceNote(governance)}>
          {GOVERNANCE[governance.operationState]}
        </Figure>
      </dl>
      <div>
        <Contracts onchain={onchain} />
        {onchain.events.length > 0 && <Events events={onchain.events} />}
      </div>
    </>
  );
}

const GOVERNANCE: Readonly<Record<Available<Onchain>["governance"]["operationState"], string>> = {
  None: "Nothing scheduled",
  Pending: "Change scheduled",
  Executed: "Last change executed",
  Cancelled: "Last change cancelled",
  Conflict: "In conflict",
};

function governanceNote({ operationKind, operationState }: Available<Onchain>["governance"]): string {
  return operationState === "None" ? "no operation" : `operation: ${operationKind.toLowerCase()}`;
}

function Contracts({ onchain: { identities, configuration } }: { readonly onchain: Available<Onchain> }) {
  const rows: readonly (readonly [string, string])[] = [
    ["Core", identities.core],
    ["Implementation", identities.proxyImplementation],
    ["Factory", identities.factory],
    ["Proxy admin", identities.proxyAdmin],
    ["Timelock", identities.operatorTimelock],
    ["Proposer", identities.operatorProposer],
    ["Reporter", configuration.reporter],
    ["Guardian", configuration.guardian],
  ];
  return (
    <Fold heading="Contracts and roles">
      {() => (
        <Facts
          caption="Addresses of contracts and roles"
          columns={["Name", "Address"]}
          rows={rows.map(([name, address]) => ({ key: name, cells: [name, <OnChain of={address} />] }))}
        />
      )}
    </Fold>
  );
}

const SHOWN_EVENTS = 8;

function Events({ events }: { readonly events: Available<Onchain>["events"] }) {
  return (
    <Fold heading="Newest contract events">
      {() => (
        <ol class="events" aria-label="Contract events, newest first, times in UTC">
          {events.slice(0, SHOWN_EVENTS).map((event) => (
            <li key={event.id} class="event chain">
              <time dateTime={event.blockTimestamp} title={full(ms(event.blockTimestamp))}>
                {shortDay(ms(event.blockTimestamp))}, {clock(ms(event.blockTimestamp))}
              </time>
              <p>
                {event.eventName} <small>block {grouped(event.blockNumber)} </small>
                <small>
                  <OnChain of={event.transactionHash} />
                </small>
              </p>
            </li>
          ))}
        </ol>
      )}
    </Fold>
  );
}
