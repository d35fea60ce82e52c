/** What the document says of the whole API. */
export const ABOUT = `Read-only JSON about one measuring installation and the settlement of its work on an EVM chain. No credentials and no
wallet; every operation is a GET. HEAD answers as GET without the body, OPTIONS answers 204 on every path.

How to read an answer (docs/spec/api.md#interpretation):

1. An accepted measurement is not settled work.
2. An optimistically completed block is neither a confirmed settlement nor a reward.
3. A safe settlement does not say that its reward is minted.
4. Missing coverage and an unavailable view mean unknown: never zero work, never a failed settlement.
5. HTTP 200 may carry an unavailable part or envelope. That is data, not an error.
6. No amount is a claimable balance of a wallet.

Work, amounts and positions on the chain are decimal strings up to 78 digits: never read them as floats. Rules between
fields, which a schema cannot say, stand in the descriptions with the section of docs/spec/api.md that states them.`;

export const TAGS = [
  { name: "Measurement", description: "What the device measured and what was accepted." },
  { name: "Chain", description: "What was settled, read at a confirmation-safe height." },
  { name: "Files", description: "For feed readers, badges, monitors and generators of clients." },
] as const;
