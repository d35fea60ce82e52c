/**
 * The observations' own exchanges (src/judge/exchanges/format.ts): a limit that is never refused, a cursor that is, nothing
 * else read, and ids of nobody.
 */
const PATH = "/v1/public/installations/{installationId}/observations";
const gets = (queries: readonly string[]) => queries.map((query) => `GET ${PATH}?${query}`).join("\n");

/** Ways of writing a limit, by the number of items that it asks for. */
const LIMITS: readonly (readonly [count: number, written: readonly string[]])[] = [
  [1, ["1", "0", "", "-5", "-0", "+", "1.0", "0x1", "1&limit=50", "%FF&limit=1"]],
  [2, ["2"]],
  [3, ["3.0"]],
  [4, ["+4"]],
  [5, ["%205%20"]],
  [7, ["7", "%37"]],
  [10, ["1e1"]],
  [16, ["0x10", "1.6e1"]],
  [99, ["99"]],
  [100, ["100", "101", "100000", "1e2", "2.5", "abc", "7a", "NaN", "Infinity", "%FF"]],
];
/** No base64url of a positive, whole, canonical and exact number; two of the activity's cursors. */
const BAD_CURSORS = ` ! 0 1 -1 abc a%20b %FF % MQ= MQ%3D%3D%3D 1.5e MQ+ %20MQ MA LTE MDE MS41 MWUz IDE MR
 OTAwNzE5OTI1NDc0MDk5Mg MTAwMDAwMDAwMDAwMDAwMDAwMDAw YWxsOjEyMw cHJvdG9jb2w6MS0yLTM ${"x".repeat(600)}`.split(/ |\n /);
const NOBODY = ["{unique}", "A.z_0:9-{unique}", "y".repeat(128), "%7a{unique}", "{unique}%3Aa"];

export const OBSERVATIONS_EXCHANGES = [
  ...LIMITS.map(
    ([count, written]) =>
      `& observations-query/limit\n${gets(written.map((value) => `limit=${value}`))}\nfirst ${count} items of ${PATH}?limit=100`,
  ),
  `& observations-query/unknown\n${gets(["", "a", "a=1", "range=7d", "Limit=1", "%FF=1", "&&", "x=%zz"])}\nfirst 100 items of ${PATH}?limit=100`,
  `& observations-query/cursor\n${gets(["cursor", "limit=5&cursor=!", "limit=5&cursor=", ...BAD_CURSORS.map((value) => `cursor=${value}`)])}\n400\n= {"error":"invalid_cursor"}`,
  `& path/unknown-id\n${NOBODY.map((id) => `GET ${PATH.replace("{installationId}", id)}`).join("\n")}\n200\n? items = []\n? nextCursor = null`,
].join("\n\n");
