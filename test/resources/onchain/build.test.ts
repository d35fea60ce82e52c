import { expect, test } from "vitest";
import { futureOf } from "../../../publish/plan/successors.ts";
import type { ChainUnavailable, CoreView } from "../../../src/chain/chain-state.ts";
import { buildOnchain } from "../../../src/resources/onchain/build.ts";
import { onchainPublications } from "../../../src/resources/onchain/publication.ts";
import { AT, address, chainEvent, chainState, coreView, hash } from "../../support/chain/chain-state.ts";

const build = (core: Partial<CoreView> = {}) => buildOnchain("wheel-1", chainState(core), AT);

test("the available body has the fields of the API's table, in order", async () => {
  await expect(`${JSON.stringify(JSON.parse(build().body), null, 2)}\n`).toMatchFileSnapshot("golden/available.json");
  expect(build()).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
});

test.each(["indexer_disabled", "not_yet_safe", "indexer_mismatch", "indexer_unavailable"] as ChainUnavailable[])(
  "an unavailable body with %s has only the reason",
  (reason) => {
    const built = buildOnchain("wheel-1", { ...chainState(), core: { status: "unavailable", reason } }, AT);
    expect(built.body).toBe(
      `{"schemaVersion":4,"installationId":"wheel-1","status":"unavailable","reason":"${reason}"}`,
    );
    expect(built.headers).toEqual({ "cache-control": "no-store" });
    expect(built.nextChangeAt).toBeUndefined();
  },
);

test("the view ends at validUntil, and its constant response equals a build at that instant", () => {
  const { states, successors } = futureOf((at) => buildOnchain("wheel-1", chainState(), at), AT);
  expect(successors).toEqual([{ from: AT + 600_000, key: "v4/public/onchain/unavailable" }]);
  expect(states).toHaveLength(2);
  const constant = onchainPublications.find(({ key }) => key === "v4/public/onchain/unavailable");
  const sources = { installationId: "wheel-1" } as Parameters<NonNullable<typeof constant>["build"]>[0];
  expect(buildOnchain("wheel-1", chainState(), AT + 600_000)).toEqual(constant?.build(sources, AT));
  expect(buildOnchain("wheel-1", chainState(), AT + 599_999).body).toContain('"status":"available"');
});

const { chain, identities, configuration, core } = coreView();
const at = (blockNumber: bigint, logIndex: number) => chainEvent({ blockNumber, logIndex });

test.each<[string, Partial<CoreView>, string]>([
  ["a safe block that is not the indexed one less 11", { chain: { ...chain, safeThroughBlock: 501n } }, "less 11"],
  ["another proxy admin in the slot", { identities: { ...identities, proxyAdminSlot: address(1) } }, "deployment's"],
  ["another owner", { identities: { ...identities, proxyAdminOwner: address(1) } }, "deployment's"],
  ["another implementation", { identities: { ...identities, proxyImplementation: address(1) } }, "deployment's"],
  ["an event of another contract", { events: [{ ...at(120n, 3), contractAddress: address(1) }] }, "deployment's"],
  ["an event before the deployment", { source: at(99n, 0), events: [at(99n, 0)] }, "out of bounds"],
  ["an event above the safe block", { source: at(501n, 0), events: [at(501n, 0)] }, "out of bounds"],
  ["events that are not newest first", { events: [at(120n, 3), at(121n, 0)] }, "newest first"],
  ["a repeated event", { events: [at(120n, 3), at(120n, 3)] }, "newest first"],
  ["a source that is not the newest event of the Core", { source: at(120n, 2) }, "source"],
  ["more than 25 events", { events: Array.from({ length: 26 }, (_, n) => at(200n - BigInt(n), 0)) }, "events"],
  ["a different work per block", { configuration: { ...configuration, workPerBlock: 999n } }, "work per block"],
  ["a height other than the quotient", { core: { ...core, blockHeight: 13n } }, "quotient"],
  ["a wrong remainder", { core: { ...core, currentWork: 346n } }, "quotient"],
])("%s is never published", (_, overrides, message) => {
  expect(() => build(overrides)).toThrow(message);
});

test("an event or a reason changes the fingerprint, but a new height does not", () => {
  const fingerprintOf = (chain: ReturnType<typeof chainState>) =>
    onchainPublications[1]?.inputs({ chain } as Parameters<(typeof onchainPublications)[0]["inputs"]>[0]);
  const higher = { ...chain, indexedThroughBlock: 512n, safeThroughBlock: 501n, safeBlockHash: hash(501) };
  expect(fingerprintOf(chainState({ chain: higher }))).toBe(fingerprintOf(chainState()));
  expect(fingerprintOf(chainState({ events: [at(130n, 0), at(120n, 3)] }))).not.toBe(fingerprintOf(chainState()));
  expect(fingerprintOf({ ...chainState(), core: { status: "unavailable", reason: "not_yet_safe" } })).not.toBe(
    fingerprintOf(chainState()),
  );
});
