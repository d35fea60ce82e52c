/**
 * docs/intake.md: what somebody who writes lines needs, from the schemas that judge them. What the records mean is
 * docs/spec/intake.md.
 */
import { FACT_KINDS, type FactKind } from "../../schema.ts";
import { FORMS } from "../decode/forms.ts";
import { FAULT_CODES } from "../fault.ts";
import { BETWEEN_FIELDS } from "../schema/between-fields.ts";
import { exampleLine } from "../schema/examples.ts";
import { type FieldSchema, recordSchema } from "../schema/record-schema.ts";
import { CODES } from "./codes.ts";
import { KEYS } from "./keys.ts";

export function intakeReference(): string {
  const sections = [HEAD, forms(), ...FACT_KINDS.map(record), codes(), WITHDRAWAL];
  return `${sections.join("\n\n")}\n`;
}

const HEAD = `# Writing facts for \`noonmark ingest\`

This page is made from the schemas that judge each line; a test holds it to them. What the records mean, and the rules in
full, stand in [spec/intake.md](spec/intake.md).

One JSON object a line (NDJSON, UTF-8, ended by LF), each with a \`type\`: ${FACT_KINDS.map((kind) => `[${kind}](#${kind})`).join(", ")}.
Every field of a type is required, null only where its table says so, and no other field is allowed. The same record
again is a duplicate and does no harm.

\`\`\`sh
noonmark ingest --example receipt           # a valid line of a type
noonmark schema receipt                     # its JSON Schema (draft 2020-12); \`noonmark schema intake\` is that of any line
noonmark ingest facts.ndjson                # a file; \`-\` is standard input
noonmark ingest --follow facts.ndjson       # a file that grows, also through rotation
noonmark ingest --follow spool              # a directory: finished *.ndjson in the order of their names, then moved to spool/done
\`\`\`

A rejected line never stops the others: it is told on stderr as \`line N: code field: sentence\`, and
\`--rejects FILE\` keeps it for \`noonmark ingest --retry FILE\`. [Following](spec/intake.md#follow) goes on until a signal ends it.`;

const WITHDRAWAL = `<a id="wrong-facts"></a>
## Wrong facts

An accepted fact cannot be withdrawn from a ledger. There is no \`noonmark ledger withdraw\`, for these reasons:

- Receipts have dense positions. They are published in tiles that caches keep for good, so a gap cannot be shown.
- A ledger is compared with the store by counts and sums of facts, which only grow. A ledger with fewer facts is behind.
- A standby fills its own ledger from the same lines. Until it has the correction, its higher count looks like a ledger
  that is ahead, and it would publish the wrong fact again.

Make a new ledger without the wrong facts instead, and leave the published history behind on purpose. Readers see that: the
observations begin anew under a new history. Stop the publisher and the intake first. Do the same on a standby.

\`\`\`
grep -v 018f6f2e-9c50-7a1b-8c2d-000000000001 all-facts.ndjson > right-facts.ndjson
noonmark ingest --ledger corrected.db --yes right-facts.ndjson
noonmark publish --once --ledger corrected.db --new-history wheel-1
\`\`\`

Then set \`ledger\` in \`noonmark.json\` to the new file, and keep the old one. \`--yes\` is needed because the new ledger has
none of the published facts. \`--new-history\` is given once.`;

function forms(): string {
  const rows = Object.values(FORMS).map((form) => [
    form.title,
    form.description,
    "pattern" in form ? code(form.pattern) : "",
  ]);
  return `## Forms\n\n${table(["form", "what", "pattern"], rows)}`;
}

function record(kind: FactKind): string {
  const { says, key } = KEYS[kind];
  const rules = BETWEEN_FIELDS[kind]?.rules ?? [];
  const parts = [
    `<a id="${kind}"></a>\n## ${kind}`,
    `${says} Key: ${key.map(code).join(", ")}, per installation. [Meaning](spec/intake.md#${kind}).`,
    table(["field", "form", ""], fieldRows(recordSchema(kind))),
    ...(rules.length === 0 ? [] : [rules.map((rule) => `- ${rule}`).join("\n")]),
    `\`\`\`json\n${exampleLine(kind)}\n\`\`\``,
  ];
  return parts.join("\n\n");
}

function fieldRows({ properties = {} }: FieldSchema, prefix = ""): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => [
    [code(prefix + name), formOf(field), noteOf(field)],
    // Of health the form says what is inside.
    ...(field.title === undefined ? fieldRows(field, `${prefix}${name}.`) : []),
  ]);
}

function formOf(field: FieldSchema): string {
  if (field.anyOf !== undefined) return field.anyOf.map(formOf).join(" or ");
  if (field.const !== undefined) return code(JSON.stringify(field.const));
  if (field.enum !== undefined) return field.enum.map(code).join(", ");
  return field.title ?? field.type ?? "";
}

/** What the schema says of this field beyond its form. */
function noteOf(field: FieldSchema): string {
  const description = field.description ?? field.anyOf?.[0]?.description ?? "";
  return Object.values(FORMS).some((form) => form.description === description) ? "" : description;
}

function codes(): string {
  const rows = FAULT_CODES.map((name, index) => {
    const { field, when, mend } = CODES[name];
    return [String(index + 1), code(name), field, when, mend];
  });
  const order = `Lines are judged in this order, and the first code that fits counts; of several fields with that code, the first in the
order of the type's table. On stderr each further fault of the line's fields has a line of its own.`;
  return `## Rejections\n\n${order}\n\n${table(["", "code", "field", "when", "what to do"], rows)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function code(text: string): string {
  return `\`${text}\``;
}
