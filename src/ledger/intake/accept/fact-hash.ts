/**
 * Computes the 64-bit hash that each accepted fact adds to the sum of its kind. Ledgers and published objects store
 * these sums, so a change of the hash requires a new ledger schema. The hash is not cryptographic because it only
 * detects accidents: SHA-256 would take a third of the time of ingesting ten million receipts.
 */
import { canonicalJson } from "../decode/canonical-json.ts";
import type { IntakeRecord, RecordOf } from "../record-types.ts";

/** A 64-bit value in two halves, each from 0 to 2^32 - 1. */
export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

/** A sum of hashes modulo 2^64, kept in two 32-bit halves to avoid creating a bigint per fact. */
export class FactSum64 {
  #high: number;
  #low: number;

  constructor(value: bigint) {
    this.#high = Number(BigInt.asUintN(64, value) >> 32n);
    this.#low = Number(BigInt.asUintN(32, value));
  }

  add(hash: Hash64): void {
    const low = this.#low + hash.low;
    this.#low = low >>> 0;
    this.#high = (this.#high + hash.high + (low > 0xffffffff ? 1 : 0)) >>> 0;
  }

  /** From 0 to 2^64 - 1. */
  get value(): bigint {
    return (BigInt(this.#high) << 32n) | BigInt(this.#low);
  }
}

/** Hashes facts one at a time; `high` and `low` hold the hash of the latest. */
export class FactHash {
  high = 0;
  low = 0;
  #a = 0;
  #b = 0;
  /** Cached hashes of texts that consecutive receipts usually share. */
  readonly #boot = new KnownText();
  readonly #epoch = new KnownText();
  readonly #software = new KnownText();
  readonly #text = new KnownText();

  /** Hashes a fact without its type and installation, because each kind of each installation has a separate sum. */
  of(fact: IntakeRecord): this {
    this.#a = SEED_A;
    this.#b = SEED_B;
    if (fact.type === "receipt") this.#receipt(fact);
    else this.#words(this.#text.hashed(normalised(fact)));
    this.high = avalanche(this.#a);
    this.low = avalanche(this.#b);
    return this;
  }

  #receipt(receipt: RecordOf<"receipt">): void {
    this.#words(this.#text.hashed(receipt.telemetryId));
    this.#words(this.#boot.hashed(receipt.bootId));
    this.#words(this.#epoch.hashed(receipt.counterEpoch));
    this.#integer(receipt.sequence);
    this.#integer(receipt.observedAt);
    this.#integer(receipt.receivedAt);
    this.#words(this.#text.hashed(receipt.cumulativeWorkUnits));
    // The first letter identifies each allowed value.
    this.#word(receipt.provenance.charCodeAt(0));
    this.#word(receipt.coreStatus.charCodeAt(0));
    this.#words(this.#software.hashed(receipt.softwareVersion));
    this.#integer(receipt.rpmMilli);
    this.#integer(receipt.speedMmPerSecond);
    this.#integer(receipt.distanceMm);
  }

  #words({ a, b }: KnownText): void {
    this.#word(a);
    this.#word(b);
  }

  /** Adds a safe integer, which may be negative. */
  #integer(value: number): void {
    this.#word(value | 0);
    this.#word(Math.floor(value / 0x100000000) | 0);
  }

  #word(word: number): void {
    this.#a = Math.imul(this.#a ^ word, MULTIPLIER_A) ^ (this.#a >>> 15);
    this.#b = Math.imul(this.#b ^ word, MULTIPLIER_B) ^ (this.#b >>> 13);
  }
}

/** Hashes a text in two halves; computes them only if the text differs from the previous one. */
class KnownText {
  a = 0;
  b = 0;
  #text: string | undefined;

  hashed(text: string): this {
    if (text === this.#text) return this;
    this.#text = text;
    let a = SEED_A ^ text.length;
    let b = SEED_B ^ text.length;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      a = Math.imul(a ^ unit, MULTIPLIER_A);
      b = Math.imul(b ^ unit, MULTIPLIER_B);
    }
    this.a = avalanche(a);
    this.b = avalanche(b);
    return this;
  }
}

/** Normalises a record as `acceptModule` does, including all members of a module's health. */
function normalised(record: Exclude<IntakeRecord, { type: "receipt" }>): string {
  const { type: _, installationId: __, ...fact } = record;
  return canonicalJson("health" in fact ? { ...fact, health: fact.health.reported } : fact);
}

/** The finalizer of MurmurHash3: each input bit changes about half of the output bits. */
function avalanche(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const SEED_A = 0x9e3779b9;
const SEED_B = 0x7f4a7c15;
const MULTIPLIER_A = 0x9e3779b1;
const MULTIPLIER_B = 0x5f356495;
