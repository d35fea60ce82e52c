/**
 * The conventional server of the benches: `node conventional-server.ts LEDGER [compressed]` serves statistics and
 * process from the ledger with Fastify and better-sqlite3. It caches statistics for 30 s and process for 1 s.
 * Noonmark's own code builds the bodies; `compressed` adds @fastify/compress per request.
 */
import type { AddressInfo } from "node:net";
import fastifyCompress from "@fastify/compress";
import fastify, { type FastifyReply } from "fastify";
import { openLedgerForReading } from "../../../../src/ledger/open.ts";
import type { Built } from "../../../../src/resources/built.ts";
import { buildProcess } from "../../../../src/resources/process/build.ts";
import { readProcessFacts } from "../../../../src/resources/process/facts.ts";
import { buildStatistics } from "../../../../src/resources/statistics/build.ts";
import { LEDGER_END, LEDGER_GENESIS } from "../large-ledger.ts";
import { conventionalFacts } from "./conventional-facts.ts";

const ledger = openLedgerForReading(process.argv[2] ?? "");
const app = fastify();
if (process.argv[3] === "compressed") await app.register(fastifyCompress);
const cached = new Map<string, { built: Built; until: number }>();

app.get("/v2/public/stats", (request, reply) => {
  const { range } = request.query as { range?: string };
  if (range !== "7d" && range !== "30d") return reply.code(400).send({ error: "invalid_query" });
  return send(
    reply,
    () => buildStatistics(conventionalFacts(ledger, LEDGER_GENESIS, range, LEDGER_END), range, LEDGER_END),
    {
      key: range,
      milliseconds: 30_000,
    },
  );
});

app.get("/v4/public/process", (_, reply) =>
  send(
    reply,
    () =>
      buildProcess(
        readProcessFacts(ledger, { rowId: 1, id: "wheel-1" }, { core: undefined, genesisTimestamp: LEDGER_GENESIS }),
        LEDGER_END,
      ),
    {
      key: "process",
      milliseconds: 1000,
    },
  ),
);

process.on("message", (message) => {
  if (message === "cpu") process.send?.({ cpu: process.cpuUsage() });
});
process.on("disconnect", () => process.exit());
await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.({ port: (app.server.address() as AddressInfo).port });

function send(
  reply: FastifyReply,
  build: () => Built,
  { key, milliseconds }: { key: string; milliseconds: number },
): FastifyReply {
  let entry = cached.get(key);
  const now = performance.now();
  if (entry === undefined || entry.until < now)
    cached.set(key, (entry = { built: build(), until: now + milliseconds }));
  const { status, headers, body } = entry.built;
  if (reply.request.headers["if-none-match"] === headers.etag) return reply.code(304).send();
  return reply.code(status).headers(headers).type("application/json; charset=utf-8").send(body);
}
