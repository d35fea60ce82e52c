// BASE is where the API is served, such as https://wheel.example.
// In TypeScript `noonmark/client` does all of this.
const base = process.env.BASE;

const { installationId, status } = await (await fetch(`${base}/v1/public/telemetry`)).json();
console.log(`${installationId} is ${status}`);

// An unavailable view is a 200: its work is unknown, not zero.
const settlements = await (await fetch(`${base}/v4/public/settlements?range=now`)).json();
if (settlements.status === "available") {
  // Decimal strings exceed 2^53: use BigInt, never Number.
  console.log(`settled: ${BigInt(settlements.summary.workAdded)} work units`);
} else {
  console.log(`settled: not known (${settlements.reason})`);
}

// Every receipt from the start of history, one page at a time.
let receipts = 0;
for (let cursor = ""; cursor !== null; ) {
  const query = cursor === "" ? "" : `?cursor=${cursor}`;
  const url = `${base}/v1/public/installations/${installationId}/observations${query}`;
  const page = await (await fetch(url)).json();
  receipts += page.items.length;
  cursor = page.nextCursor;
}
console.log(`${receipts} receipts`);
