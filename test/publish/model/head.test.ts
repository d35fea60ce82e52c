/**
 * The rules of the publisher's head, as a model (docs/decisions/head.md). Two publishers swap one head by
 * compare-and-swap and put one object. The explorer walks every order of their steps, of late and repeated puts,
 * crashes and older heads.
 */
import { expect, test } from "vitest";

/** A fact's number, or "U": the body of an unavailable view, which can return. */
type Body = number | "U";

interface Head {
  /** Rises with each swap, so no two heads have the same tag. */
  readonly seq: number;
  readonly holder: string;
  /** No object shows a newer fact. */
  readonly log: number;
  /** The body that the object should have. */
  readonly target: Body;
  readonly isUnfinished: boolean;
  /** A put of the object may still arrive, so each renewal reads the object. */
  readonly isDoubted: boolean;
}

/** A put that the store has not seen yet. */
interface Sent {
  readonly by: string;
  readonly body: Body;
  readonly ifTag: string;
  /** It arrives once more after this time. */
  readonly isRepeated: boolean;
  /** True if its sender waits for the response. */
  readonly isAwaited: boolean;
}

interface Publisher {
  readonly step: "down" | "plan" | "read" | "renew" | "send" | "wait" | "stopped";
  /** Its last confirmed head. */
  readonly head: Head;
  /** The tag of the object; null if it does not know it. */
  readonly tag: string | null;
  /** Its next facts. */
  readonly facts: readonly Body[];
  readonly tries: number;
}

interface State {
  readonly head: Head;
  readonly object: { readonly body: Body; readonly tag: string };
  readonly publishers: Readonly<Record<string, Publisher>>;
  readonly sent: readonly Sent[];
  /** The newest fact that a reader has seen. */
  readonly seen: number;
  /** Crashes, repeated puts and lost responses until now. */
  readonly faults: number;
  /** The head that can come back, once. */
  readonly older: Head | null;
}

interface World {
  /** The facts of A, which holds the lease, and of B, which can take it over at any time. */
  readonly a: readonly Body[];
  readonly b: readonly Body[];
  readonly start: Body;
  /** Greatest number of crashes, repeated puts and lost responses. */
  readonly faults?: number;
  readonly olderHead?: boolean;
}

interface Rules {
  /** After a read of the tag, the head is swapped before the put. */
  readonly renewsBeforePut: boolean;
  /** A put without a certain end is doubted. */
  readonly doubts: boolean;
  /** An object that is newer than the head proves that the head is an older one. */
  readonly comparesObject: boolean;
}

const RULES: Rules = { renewsBeforePut: true, doubts: true, comparesObject: true };
const TRIES = 3;
const STATES_LIMIT = 300_000;

type Step = readonly [label: string, next: State];

/** S3 computes a tag from the body alone. */
const tagOf = (body: Body): string => `tag of ${body}`;
const factOf = (body: Body): number => (body === "U" ? 0 : body);

function steps(state: State, world: World, rules: Rules): Step[] {
  return [
    ...Object.keys(state.publishers).flatMap((name) => publisherSteps(name, state, world, rules)),
    ...state.sent.map((_, index) => arrival(index, state, rules)),
    ...lostResponses(state, world, rules),
    ...(state.older === null || state.older.seq === state.head.seq
      ? []
      : [["an older head comes back", { ...state, head: state.older, older: null }] as const]),
  ];
}

function publisherSteps(name: string, state: State, world: World, rules: Rules): Step[] {
  const own = state.publishers[name] as Publisher;
  const to = (change: Partial<Publisher>, rest: Partial<State> = {}): State => ({
    ...state,
    ...rest,
    publishers: { ...state.publishers, [name]: { ...own, ...change } },
  });
  /** Swaps the head, or stops because somebody else has swapped it. */
  const swap = (label: string, change: Partial<Head>, next: Partial<Publisher>): Step => {
    let base = own.head;
    if (state.head.seq !== base.seq) {
      // Its own older head has come back: everything after that head's log is unfinished.
      if (state.head.holder !== name || state.head.seq > base.seq) return [`${name} stops`, to({ step: "stopped" })];
      base = { ...own.head, log: Math.max(state.head.log, factOf(own.head.target)), isUnfinished: true };
    }
    const head = { ...base, ...change, holder: name, seq: Math.max(own.head.seq, state.head.seq) + 1 };
    return [label, to({ ...next, head }, { head })];
  };
  const result: Step[] = [];
  const { step, facts, head, tag } = own;
  const hasFaults = state.faults < (world.faults ?? 0);
  if (step !== "down" && step !== "stopped" && hasFaults) {
    result.push([`${name} crashes`, to({ step: "down", tag: null, tries: 0 }, { faults: state.faults + 1 })]);
  }
  switch (step) {
    case "down": {
      // It reads the head, and the object that shows if the head is an older one.
      const { isUnfinished, isDoubted } = state.head;
      const isOlder = rules.comparesObject && factOf(state.object.body) > state.head.log;
      const taken: Head = {
        ...state.head,
        seq: state.head.seq + 1,
        holder: name,
        log: isOlder ? factOf(state.object.body) : state.head.log,
        target: isOlder ? state.object.body : state.head.target,
        isUnfinished: isUnfinished || isOlder,
        isDoubted: rules.doubts && (isDoubted || isUnfinished),
      };
      const next = taken.isUnfinished ? "read" : "plan";
      result.push([`${name} takes the lease`, to({ step: next, head: taken, tag: null, tries: 0 }, { head: taken })]);
      break;
    }
    case "plan": {
      const next = facts.find((fact) => fact === "U" || fact > head.log);
      if (next !== undefined) {
        const rest = facts.slice(facts.indexOf(next) + 1);
        const change = { log: Math.max(head.log, factOf(next)), target: next, isUnfinished: true };
        result.push(
          swap(`${name} swaps the head for ${next}`, change, {
            step: tag === null ? "read" : "send",
            facts: rest,
            tries: 0,
          }),
        );
      }
      if (head.isDoubted || head.isUnfinished) result.push([`${name} reads the object`, to({ step: "read" })]);
      break;
    }
    case "read": {
      const { body } = state.object;
      if (rules.comparesObject && factOf(body) > head.log) {
        // Only an older head allows an object that is newer than the head.
        result.push(
          swap(`${name} finds an older head`, { log: factOf(body), target: body }, { step: "plan", tag: tagOf(body) }),
        );
        break;
      }
      if (body === head.target) {
        const isDoubted = head.isDoubted && !isQuiet(state, name);
        const next = { step: "plan", tag: tagOf(body) } as const;
        // A look that changes nothing writes no head.
        const isChanged = head.isUnfinished || head.isDoubted !== isDoubted;
        const label = `${name} finds the object as it should be`;
        result.push(isChanged ? swap(label, { isUnfinished: false, isDoubted }, next) : [label, to(next)]);
      } else {
        const next = rules.renewsBeforePut ? "renew" : "send";
        result.push([`${name} reads the tag of ${body}`, to({ step: next, tag: state.object.tag })]);
      }
      break;
    }
    case "renew":
      result.push(swap(`${name} renews`, {}, { step: "send" }));
      break;
    case "send": {
      const put = { by: name, body: head.target, ifTag: tag ?? "", isRepeated: false, isAwaited: true };
      const sends = (isRepeated: boolean) => [...state.sent, { ...put, isRepeated }];
      result.push([`${name} sends ${head.target}`, to({ step: "wait" }, { sent: sends(false) })]);
      if (!hasFaults) break;
      const faults = state.faults + 1;
      result.push([`${name} sends ${head.target} twice`, to({ step: "wait" }, { sent: sends(true), faults })]);
      break;
    }
    default:
  }
  return result;
}

/**
 * True if no put can arrive any more: 90 s have passed. A publisher that was stopped before it sent finds by then that
 * its last swap is too old.
 */
function isQuiet({ sent, publishers }: State, name: string): boolean {
  return (
    sent.length === 0 && Object.entries(publishers).every(([other, { step }]) => other === name || step !== "send")
  );
}

/** A put reaches the store. Its sender gets the response if it still waits. */
function arrival(index: number, state: State, rules: Rules): Step {
  const put = state.sent[index] as Sent;
  const isStored = state.object.tag === put.ifTag;
  const again = put.isRepeated ? [{ ...put, isRepeated: false, isAwaited: false }] : [];
  const sent = [...state.sent.slice(0, index), ...again, ...state.sent.slice(index + 1)];
  const object = isStored ? { body: put.body, tag: tagOf(put.body) } : state.object;
  const seen = Math.max(state.seen, isStored ? factOf(put.body) : 0);
  const sender = state.publishers[put.by] as Publisher;
  let next = sender;
  if (put.isAwaited && sender.step === "wait") {
    if (isStored) {
      const isDoubted = rules.doubts && (sender.head.isDoubted || again.length > 0);
      const head = { ...sender.head, isUnfinished: false, isDoubted };
      next = { ...sender, step: "plan", tag: object.tag, head };
    } else if (sender.tries + 1 >= TRIES) next = { ...sender, step: "plan", tag: null };
    else next = { ...sender, step: "read", tag: null, tries: sender.tries + 1 };
  }
  return [
    `${put.by}'s ${put.body} ${put.isAwaited ? "" : "(again) "}arrives: ${isStored ? "stored" : "412"}`,
    { ...state, sent, object, seen, publishers: { ...state.publishers, [put.by]: next } },
  ];
}

/** The sender gives up waiting. The put can still arrive, so the sender reads the object and doubts it. */
function lostResponses(state: State, world: World, rules: Rules): Step[] {
  if (state.faults >= (world.faults ?? 0)) return [];
  return state.sent.flatMap((put, index): Step[] => {
    const sender = state.publishers[put.by] as Publisher;
    if (!put.isAwaited || sender.step !== "wait") return [];
    const head = { ...sender.head, isDoubted: rules.doubts };
    const waiting = { ...sender, step: "read", tag: null, head } as const;
    const sent = state.sent.map((one, at) => (at === index ? { ...one, isAwaited: false } : one));
    const publishers = { ...state.publishers, [put.by]: waiting };
    return [[`${put.by} gets no response`, { ...state, sent, publishers, faults: state.faults + 1 }]];
  });
}

interface Found {
  readonly states: number;
  /** The steps to the first state that breaks the property; undefined if none does. */
  readonly trace: readonly string[] | undefined;
}

/** Only the order of the heads matters, so their numbers are replaced by ranks. */
function keyOf(state: State): string {
  const heads = [state.head, state.older, ...Object.values(state.publishers).map(({ head }) => head)];
  const ranks = [...new Set(heads.map((head) => head?.seq ?? 0))].toSorted((one, other) => one - other);
  return JSON.stringify(state, (name, value) => (name === "seq" ? ranks.indexOf(value) : value));
}

type Property = (state: State, isEnd: boolean) => boolean;

function explore(world: World, rules: Rules, properties: readonly Property[]): Found {
  const head: Head = {
    seq: 1,
    holder: "A",
    log: factOf(world.start),
    target: world.start,
    isUnfinished: false,
    isDoubted: false,
  };
  const publisher = { head, tag: null, tries: 0 } as const;
  const first: State = {
    head,
    object: { body: world.start, tag: tagOf(world.start) },
    publishers: {
      A: { ...publisher, step: "plan", tag: tagOf(world.start), facts: world.a },
      B: { ...publisher, step: world.b.length === 0 ? "stopped" : "down", facts: world.b },
    },
    sent: [],
    seen: factOf(world.start),
    faults: 0,
    older: world.olderHead === true ? head : null,
  };
  const known = new Set<string>();
  const left: { readonly state: State; readonly label: string; readonly before: number }[] = [];
  const visit = (state: State, label: string, before: number) => {
    const key = keyOf(state);
    if (known.has(key)) return;
    known.add(key);
    left.push({ state, label, before });
  };
  visit(first, "start", -1);
  for (let index = 0; index < left.length; index++) {
    if (left.length > STATES_LIMIT) throw new Error(`more than ${STATES_LIMIT} states`);
    const { state } = left[index] as (typeof left)[number];
    const next = steps(state, world, rules);
    if (!properties.every((holds) => holds(state, next.length === 0))) {
      const trace: string[] = [];
      for (let at = index; at >= 0; at = left[at]?.before ?? -1) trace.unshift(left[at]?.label ?? "");
      return { states: left.length, trace };
    }
    for (const [label, to] of next) visit(to, label, index);
  }
  return { states: left.length, trace: undefined };
}

/** Readers never see an older fact than one that they have seen. */
const neverOlder: Property = ({ object, seen }) => object.body === "U" || object.body >= seen;
/** If they do, the head says that the object is read at the next renewal. */
const olderOnlyWhileDoubted: Property = (state) => {
  if (neverOlder(state, false)) return true;
  const holder = state.publishers[state.head.holder] as Publisher;
  const { isDoubted, isUnfinished } = holder.step === "down" ? state.head : holder.head;
  return isDoubted || isUnfinished;
};
/** The head is ahead of the object, never behind it. */
const headIsAhead: Property = ({ head, object }) => factOf(object.body) <= head.log;
/** When nothing is left to do, the object is what the head says. */
const endsAsTheHeadSays: Property = ({ head, object, publishers }, isEnd) => {
  if (!isEnd || publishers[head.holder]?.step !== "plan") return true;
  return head.isDoubted || object.body === head.target;
};

test.each<[string, World]>([
  ["two publishers", { start: 1, a: [2], b: [3, 4] }],
  ["two publishers and one fault", { start: 1, a: [2], b: [3, 4], faults: 1 }],
  ["two publishers and two faults", { start: 1, a: [2], b: [3], faults: 2 }],
  ["one publisher and three faults", { start: 1, a: [2, 3], b: [], faults: 3 }],
])("%s: nothing older is seen, and the head is ahead", (_, world) => {
  expect(explore(world, RULES, [neverOlder, headIsAhead, endsAsTheHeadSays]).trace).toBeUndefined();
});

test.each<[string, World]>([
  ["two publishers", { start: "U", a: [2], b: [3, "U"] }],
  ["two publishers and one fault", { start: "U", a: [2], b: [3, "U"], faults: 1 }],
  ["one publisher and two faults", { start: "U", a: [2, 3, "U"], b: [], faults: 2 }],
])("%s, and an unavailable body returns: something older is seen only while the object is doubted", (_, world) => {
  expect(explore(world, RULES, [olderOnlyWhileDoubted, headIsAhead, endsAsTheHeadSays]).trace).toBeUndefined();
});

test.each<[string, World]>([
  ["a living holder", { start: 1, a: [2, 3], b: [], olderHead: true }],
  ["a holder that crashes", { start: 1, a: [2, 3], b: [], olderHead: true, faults: 1 }],
  ["two publishers", { start: 1, a: [2], b: [3], olderHead: true }],
])("an older head that comes back to %s takes nothing back", (_, world) => {
  expect(explore(world, RULES, [neverOlder]).trace).toBeUndefined();
});

test.each<[string, World, Partial<Rules>, Property]>([
  [
    "a put on a tag that was read without a swap goes back",
    { start: 1, a: [2], b: [3] },
    { renewsBeforePut: false, comparesObject: false },
    neverOlder,
  ],
  [
    "a late put of a body whose tag returned stays",
    { start: "U", a: [2, 3, "U"], b: [], faults: 1 },
    { doubts: false },
    olderOnlyWhileDoubted,
  ],
  [
    "a start with an older head goes back",
    { start: 1, a: [2], b: [2], olderHead: true, faults: 1 },
    { comparesObject: false },
    headIsAhead,
  ],
])("without its rule, %s", (_, world, without, property) => {
  expect(explore(world, { ...RULES, ...without }, [property]).trace).toBeDefined();
});
