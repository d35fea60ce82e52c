/** A naive implementation of settlements v4: it recomputes everything from raw logs each time, without totals. */
import type { ChainEvent, ChainState } from "../../../src/chain/chain-state.ts";

const HOUR = 3_600_000;
const LAYOUT = { "24h": [24, HOUR], "7d": [28, 6 * HOUR], "30d": [30, 24 * HOUR] } as const;

export function naiveSettlements(
  logs: readonly ChainEvent[],
  chain: ChainState,
  range: "now" | "24h" | "7d" | "30d",
  at: number,
) {
  if (chain.core.status === "unavailable" || chain.economy.status === "unavailable") throw new Error("unavailable");
  const safe = chain.core.view.chain.safeThroughBlock;
  const economy = chain.economy.view;
  const inOrder = logs
    .filter(({ blockNumber }) => blockNumber <= safe)
    .sort((a, b) => Number(a.blockNumber - b.blockNumber) || a.logIndex - b.logIndex);
  const value = (log: ChainEvent, name: string) =>
    BigInt(log.arguments.find((argument) => argument.name === name)?.value ?? "missing");

  let [work, height] = [0n, 0n];
  const batches = inOrder
    .filter(({ eventName }) => eventName === "BatchSettled")
    .map((log) => {
      const batch = {
        log,
        previous: value(log, "previousSettledThroughRound"),
        settled: value(log, "settledThroughRound"),
        active: value(log, "activeRoundCount"),
        workAdded: value(log, "cumulativeWork") - work,
        blocks: value(log, "blockHeight") - height,
      };
      work = value(log, "cumulativeWork");
      height = value(log, "blockHeight");
      return { ...batch, work, height };
    });
  const funded = (after: bigint, through: bigint) =>
    inOrder
      .filter((log) => log.eventName === "RoundFunded" && value(log, "round") > after && value(log, "round") <= through)
      .reduce((sum, log) => sum + value(log, "amount"), 0n);

  const [count, length] = range === "now" ? [0, 0] : LAYOUT[range];
  const boundary = range === "24h" ? 0 : 12 * HOUR;
  const period = range === "24h" ? HOUR : 24 * HOUR;
  let end = boundary;
  while (end <= at) end += period;
  const start = end - count * length;
  const chosen = batches.filter(
    ({ log }) => range === "now" || (log.blockTimestamp >= start && log.blockTimestamp < end),
  );
  const totals = (of: typeof batches) => ({
    settlementCount: String(of.length),
    activeRoundCount: String(of.reduce((sum, batch) => sum + batch.active, 0n)),
    workAdded: String(of.reduce((sum, batch) => sum + batch.workAdded, 0n)),
    completedBlockCount: String(of.reduce((sum, batch) => sum + batch.blocks, 0n)),
  });
  const iso = (instant: number) => new Date(instant).toISOString();
  const newest = chosen.toReversed().slice(0, 12);
  return {
    window: range === "now" ? null : { startAt: iso(start), endAt: iso(end), bucketSeconds: length / 1000 },
    summary: { ...totals(chosen), archivedSettlementCount: String(chosen.length - newest.length) },
    recentSettlements: newest.map((batch) => ({
      transactionHash: batch.log.transactionHash,
      previousSettledThroughRound: String(batch.previous),
      settledThroughRound: String(batch.settled),
      activeRoundCount: String(batch.active),
      workAdded: String(batch.workAdded),
      cumulativeWork: String(batch.work),
      firstCompletedBlock: batch.blocks === 0n ? null : String(batch.height - batch.blocks + 1n),
      lastCompletedBlock: batch.blocks === 0n ? null : String(batch.height),
      completedBlockCount: String(batch.blocks),
      blockHeight: String(batch.height),
      ethereumBlockNumber: String(batch.log.blockNumber),
      blockTimestamp: iso(batch.log.blockTimestamp),
      logIndex: String(batch.log.logIndex),
      confirmationStatus: "safe",
      mint:
        economy.mintedThroughRound >= batch.settled
          ? { state: "confirmed", amountBaseUnits: String(funded(batch.previous, batch.settled)) }
          : { state: "pending", amountBaseUnits: String(batch.blocks * economy.baselineRewardPerBlock) },
    })),
    buckets: Array.from({ length: count }, (_, index) => {
      const [from, to] = [start + index * length, start + (index + 1) * length];
      const inside = batches.filter(({ log }) => log.blockTimestamp >= from && log.blockTimestamp < to);
      return { startAt: iso(from), endAt: iso(to), ...totals(inside) };
    }),
  };
}
