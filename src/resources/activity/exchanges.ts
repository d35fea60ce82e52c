/** The activity's own exchanges (src/judge/exchanges/format.ts): each parameter at most once and in one form, no-store on 400. */
const PATH = "/v1/public/activity";
const gets = (queries: readonly string[]) => queries.map((query) => `GET ${PATH}?${query}`).join("\n");
const refused = (rule: string, queries: readonly string[]) =>
  `& activity-query/${rule}\n${gets(queries)}\n400\nCache-Control: no-store\n= {"error":"invalid_query"}`;

const LIMITS = "0 101 1000 01 +1 %2B1 -1 1.0 5.5 1e1 0x10 %201 1%20 abc %FF 100000000000000000000".split(" ");

export const ACTIVITY_EXCHANGES = [
  `& activity-query/accepted\n${gets(["", "&", "category=all", "category=%61ll&limit=40"])}\nas ${PATH}`,
  `& activity-query/accepted\n${gets(["limit=40&category=protocol", "category=protocol&"])}\nas ${PATH}?category=protocol`,
  `& activity-query/accepted\n${gets(["limit=3&category=protocol", "category=protocol&limit=3&"])}\nas ${PATH}?category=protocol&limit=3`,
  `& activity-query/accepted\n${gets(["c%61tegory=player%73&limit=2"])}\nas ${PATH}?category=players&limit=2`,
  `& activity-query/accepted\n${gets(["category=measurement&limit=%35"])}\nas ${PATH}?category=measurement&limit=5`,
  `& activity-query/accepted\n${gets(["category=all&limit=1", "%6Cimit=1"])}\nas ${PATH}?limit=1`,
  `& activity-query/accepted\n${gets(["category=all&limit=100"])}\nas ${PATH}?limit=100`,
  refused("category", [
    "category",
    ...["ALL", "All", "", "x", "all+", "system", "player", "chain"].map((value) => `category=${value}`),
  ]),
  refused("limit", ["limit", "limit=", "category=protocol&limit=0", ...LIMITS.map((value) => `limit=${value}`)]),
  refused("cursor", [
    "cursor",
    "category=protocol&cursor=",
    "category=players&cursor=!",
    ...["", "a.b", "a%2Fb", "a%20b", "a=", "a%3D", "%C3%A9", "a".repeat(513)].map((value) => `cursor=${value}`),
  ]),
  refused("repeated", [
    "category=all&category=all",
    "limit=5&limit=5",
    "limit=5&limit=6",
    "cursor=a&cursor=a",
    "cursor=a&cursor=b",
    "category=all&category=",
  ]),
  refused("unknown", [
    "category=all&x",
    "limit=5&page=2",
    ..."a a= a=1 range=7d queue=1 Category=all limit[]=5 = after=1".split(" "),
  ]),
  refused("undecodable", ["%FF", "category=%FF", "limit=5&%zz", "cursor=%", "a=%C3%28", "category=all&%FF=1"]),
].join("\n\n");
