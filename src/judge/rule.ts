/** A section of the specification; a test follows each. */
export type Citation = `docs/spec/${string}.md#${string}`;

/** A rule of verify: what it is called, what it says, and what to do where it does not hold. */
export interface Rule {
  /** Stable: `family/what`. */
  readonly name: string;
  readonly says: string;
  readonly mend: string;
  /** The section that says so, if it is not the route's own. */
  readonly spec?: Citation;
}

/** The rules of a family by their last word. */
export type Rules<Name extends string> = Readonly<Record<Name, Rule>>;

/** `family("headers", { cors: [says, mend, spec?] }, spec?)`: the second is the section of every rule without its own. */
export function family<Name extends string>(
  name: string,
  rules: Readonly<Record<Name, readonly [says: string, mend: string, spec?: Citation]>>,
  section?: Citation,
): Rules<Name> {
  const entries = Object.entries<readonly [string, string, Citation?]>(rules).map(
    ([key, [says, mend, spec = section]]) => [
      key,
      { name: `${name}/${key}`, says, mend, ...(spec === undefined ? {} : { spec }) },
    ],
  );
  return Object.fromEntries(entries) as Rules<Name>;
}
