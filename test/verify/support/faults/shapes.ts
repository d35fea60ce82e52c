/** Single-field mutations of every body: one per place of its shape, of a kind that no schema may accept. */
import { jsonOf, type Transport } from "../../../../src/verify/exchange.ts";
import { editBody, isTarget, type Planted } from "./plant.ts";
import { SUBJECTS } from "./subjects.ts";

type Path = readonly (string | number)[];
type Mutation = readonly [kind: string, mutate: (parent: Record<string, unknown>, key: string) => void];

/** Places that may be omitted or hold anything. */
const OPTIONAL = /(?:^|\.)(?:queueProjection|message|code|data|arguments\.0\.value)(?:\.|$)/;
const PLACES_PER_BODY = 70;

const remove: Mutation = ["left out", (parent, key) => delete parent[key]];
const extra: Mutation = ["beside an unknown key", (parent) => (parent.unknownToAll = 1)];
const set = (kind: string, value: unknown): Mutation => [kind, (parent, key) => (parent[key] = value)];

function mutationsOf(value: unknown): Mutation[] {
  if (typeof value === "string") return [remove, set("as a number", 7), ...ofText(value), extra];
  if (typeof value === "number")
    return [set("as a string", String(value)), remove, set("as a fraction", value + 0.5), set("negative", -1)];
  if (typeof value === "boolean") return [set("as a string", String(value)), remove, set("as a number", 1)];
  if (Array.isArray(value)) return [set("as an object", {}), remove, set("as a text", "[]")];
  if (value === null) return [set("as a number", -7), remove, set("as an object", { a: 1 })];
  return [extra, remove, set("as a text", "{}"), set("as an array", [])];
}

function ofText(value: string): Mutation[] {
  if (/^\d{4}-\d\d-\d\dT/.test(value))
    return [set("without its T", value.replace("T", " ")), set("in seconds", value.replace(/\.\d+Z/, "Z"))];
  if (/^0x[0-9a-f]{64}$/.test(value))
    return [set("cut", value.slice(0, -1)), set("in upper case", `0x${"AB".repeat(32)}`)];
  if (value.startsWith("0x")) return [set("cut", value.slice(0, -1)), set("without 0x", value.slice(2))];
  if (/^[0-9a-f]{8}-/.test(value)) return [set("as no UUID", "not-a-uuid")];
  if (/^\d+$/.test(value)) return [set("with a zero in front", `0${value}`), set("with a sign", `-${value}`)];
  return [];
}

/** Each place once; the first item of an array represents all. */
function placesOf(value: unknown, path: Path = []): [Path, unknown][] {
  const own: [Path, unknown][] = path.length === 0 ? [] : [[path, value]];
  if (Array.isArray(value))
    return value.length === 0
      ? own
      : [...own, ...placesOf(value[0], [...path, 0]).filter(([at]) => at.length > path.length + 1)];
  if (value === null || typeof value !== "object") return own;
  return [...own, ...Object.entries(value).flatMap(([key, child]) => placesOf(child, [...path, key]))];
}

export async function shapeFaults(send: Transport): Promise<Planted[]> {
  const faults: Planted[] = [];
  let turn = 0;
  for (const { route, target } of SUBJECTS) {
    const body = jsonOf(await send({ method: "GET", target, headers: {} }));
    const places = placesOf(body).filter(([path]) => !OPTIONAL.test(path.join(".")));
    const step = Math.max(1, Math.ceil(places.length / PLACES_PER_BODY));
    for (const [path, value] of places.filter((_, index) => index % step === turn % step)) {
      const mutations = mutationsOf(value);
      const [kind, mutate] = mutations[turn++ % mutations.length] as Mutation;
      faults.push({
        name: `${target}: ${path.join(".")} ${kind}`,
        families: ["answer"],
        only: [route.name],
        fault: editBody(isTarget(target), (copy) => mutate(...parentOf(copy, path))),
      });
    }
  }
  return faults;
}

function parentOf(body: unknown, path: Path): [Record<string, unknown>, string] {
  let parent = body as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) parent = parent[key] as Record<string | number, unknown>;
  return [parent, String(path.at(-1))];
}
