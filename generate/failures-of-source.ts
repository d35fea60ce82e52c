/**
 * Reads the failures of commands from the program's source: the code, exit code, messages and hints of each `new Failure(…)`.
 * A text that the source file does not show is `…`.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { STORE_HINT } from "../bin/cli/messages.ts";
import { EXIT } from "../src/values/failure.ts";

const ROOT = join(import.meta.dirname, "..");
const EXIT_NAMES = new Map(Object.entries(EXIT).map(([name, exit]) => [name, String(exit)]));

export interface FailureText {
  readonly code: string;
  readonly exit: string;
  readonly messages: readonly string[];
  readonly hints: readonly string[];
}

type Node = Readonly<Record<string, unknown>> & { readonly start: number; readonly end: number };

/** Each `new Failure(code, message, { exit, hint })` whose code is written there, and the failures of a store. */
export function failuresOfSource(): FailureText[] {
  const files = globSync("{src,bin,publish,cdn-config}/**/*.ts", { cwd: ROOT }).toSorted();
  return files.flatMap((path) => {
    const found: FailureText[] = [];
    const { program } = parseSync(path, readFileSync(join(ROOT, path), "utf8"));
    const source = new SourceTexts(program);
    visit(program, (node) => {
      if (node.type !== "NewExpression") return;
      const { name } = node.callee as Node;
      const given = node.arguments as Node[];
      if (name === "Failure") {
        const [codeNode, messageNode, optionsNode] = given;
        const options = source.objectOf(optionsNode);
        const [messages, hints] = [source.textsOf(messageNode), source.textsOf(propertyOf(options, "hint"))];
        const codes = source.textsOf(codeNode).map((text) => text.replace(/^…_/, "NAME_"));
        for (const [index, named] of codes.entries()) {
          if (!/^(?:NAME|[a-z]+)(?:_[a-z]+)*$/.test(named)) continue;
          // A choice between two codes is also one between their texts.
          const own = (texts: string[]) =>
            codes.length > 1 && texts.length === codes.length ? texts.slice(index, index + 1) : texts;
          found.push({ code: named, exit: exitsOf(options), messages: own(messages), hints: own(hints) });
        }
      } else if (name === "StoreUnavailable" && !path.startsWith("src/shim/")) {
        const [messageNode, optionsNode] = given;
        const hint = propertyOf(source.objectOf(optionsNode), "hint");
        const hints = hint === undefined ? [STORE_HINT] : source.textsOf(hint);
        found.push({ code: "store_unavailable", exit: String(EXIT.io), messages: source.textsOf(messageNode), hints });
      }
    });
    return found;
  });
}

function propertyOf(object: Node | undefined, name: string): Node | undefined {
  const properties = (object?.properties ?? []) as Node[];
  return properties.find(({ key }) => (key as Node | undefined)?.name === name)?.value as Node | undefined;
}

interface Declared {
  readonly name: string;
  readonly node: Node;
}

/** The texts that the expressions of one file may have. A value that the file does not show is `…`. */
class SourceTexts {
  readonly #constants: Declared[] = [];
  readonly #functions: Declared[] = [];
  readonly #calls: Declared[] = [];

  constructor(program: unknown) {
    visit(program, (node) => {
      const { type, id, init, callee } = node as Node & Readonly<Record<"id" | "init" | "callee", Node | undefined>>;
      if (type === "VariableDeclarator" && init != null && id?.type === "Identifier") {
        const list = init.type === "ArrowFunctionExpression" ? this.#functions : this.#constants;
        list.push({ name: String(id.name), node: init });
      } else if (type === "FunctionDeclaration") {
        this.#functions.push({ name: String(id?.name), node });
      } else if (type === "CallExpression" && callee?.type === "Identifier") {
        this.#calls.push({ name: String(callee.name), node });
      }
    });
  }

  /** `depth` ends a function that calls itself. */
  textsOf(node: Node | undefined, depth = 0): string[] {
    if (node === undefined || depth > 6) return ["…"];
    const next = (one: unknown) => this.textsOf(one as Node, depth + 1);
    switch (node.type) {
      case "Literal":
        return [String(node.value)];
      case "TemplateLiteral":
        return this.#templateTexts(node, depth);
      case "ParenthesizedExpression":
        return next(node.expression);
      case "ConditionalExpression":
        return [...next(node.consequent), ...next(node.alternate)];
      case "LogicalExpression":
        return [...next(node.left), ...next(node.right)];
      case "BinaryExpression":
        return next(node.left).flatMap((left) => next(node.right).map((right) => left + right));
      case "Identifier":
        return this.#valuesOf(node).flatMap(next);
      case "CallExpression":
        return this.#returnsOf(node).flatMap(next);
      default:
        return ["…"];
    }
  }

  /** An object literal, also one that has a name. */
  objectOf(node: Node | undefined): Node | undefined {
    return node?.type === "Identifier" ? this.#valuesOf(node)[0] : node;
  }

  #templateTexts(node: Node, depth: number): string[] {
    const quasis = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
    // A part of several words is written out. A shorter one is a value.
    const values = (node.expressions as Node[]).map((one) => {
      const texts = this.textsOf(one, depth + 1);
      return texts.every((text) => /\S \S+ \S/.test(text)) ? texts : ["…"];
    });
    // Not every choice of one part goes with every choice of another.
    const isOneChoice = values.filter(({ length }) => length > 1).length === 1;
    const shown = values.map((texts) => (texts.length === 1 || isOneChoice ? texts : ["…"]));
    return quasis.reduce<string[]>(
      (texts, quasi, index) => texts.flatMap((text) => (shown[index - 1] ?? [""]).map((value) => text + value + quasi)),
      [""],
    );
  }

  /** The values of a constant, or the arguments of a function's parameter. */
  #valuesOf(node: Node): (Node | undefined)[] {
    const name = String(node.name);
    const around = this.#functions
      .filter(({ node: one }) => one.start <= node.start && node.end <= one.end)
      .toSorted((a, b) => b.node.start - a.node.start);
    for (const { name: called, node: one } of around) {
      const own = this.#constants.filter((found) => found.name === name && isWithin(found.node, one));
      // Blocks of one function may each have a constant of this name.
      if (own.length > 0) return [(own.findLast((found) => found.node.start < node.start) ?? own[0])?.node];
      const index = (one.params as Node[]).findIndex((parameter) => parameter.name === name);
      if (index >= 0) {
        const calls = this.#calls.filter((call) => call.name === called);
        return calls.map((call) => (call.node.arguments as Node[])[index]);
      }
    }
    return [this.#constants.find((found) => found.name === name)?.node];
  }

  /** The returned expressions of a function of this file. */
  #returnsOf(node: Node): (Node | undefined)[] {
    const called = this.#functions.find(({ name }) => name === (node.callee as Node).name);
    const found: Node[] = [];
    visit(called?.node.body, (one) => {
      if (one.type === "ReturnStatement") found.push(one.argument as Node);
    });
    return found.length === 0 ? [undefined] : found;
  }
}

function isWithin(inner: Node, outer: Node): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

function exitsOf(options: Node | undefined): string {
  const exits = new Set<string>();
  visit(options, (node) => {
    if (node.type !== "MemberExpression" || (node.object as Node).name !== "EXIT") return;
    exits.add(EXIT_NAMES.get(String((node.property as Node).name)) ?? "");
  });
  return [...exits].join(" or ");
}

function visit(value: unknown, onNode: (node: Node) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, onNode);
  else if (typeof value === "object" && value !== null && !(value instanceof RegExp)) {
    if ("type" in value) onNode(value as unknown as Node);
    for (const one of Object.values(value)) visit(one, onNode);
  }
}
