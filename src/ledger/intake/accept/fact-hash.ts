/**
 * The 64 bits that an accepted fact adds to the sum of its kind. Ledgers and published objects store them, so another hash is
 * another schema of the ledger. It is not cryptographic: the sums guard against accidents, and in a catch-up of ten million
 * receipts SHA-256 would take a third of the time.
 */
import { canonicalJson } from "../decode/canonical-json.ts";
import type { IntakeRecord, RecordOf } from "../record-types.ts";

/** 64 bits in two halves, each from 0 to 2^32 - 1. */
export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

/** A sum of hashes modulo 2^64, in two halves of 32 bits: no bigint is made for each fact. */
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

/** Hashes one fact after the other; `high` and `low` are those of the last. */
export class FactHash {
  high = 0;
  low = 0;
  #a = 0;
  #b = 0;
  /** The texts that one receipt has in common with the next. */
  readonly #boot = new KnownText();
  readonly #epoch = new KnownText();
  readonly #software = new KnownText();
  readonly #text = new KnownText();

  /** The type is left out, each kind having a sum of its own, and the installation too. */
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
    // Each begins with a letter of its own.
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

  /** A safe integer, of any sign. */
  #integer(value: number): void {
    this.#word(value | 0);
    this.#word(Math.floor(value / 0x100000000) | 0);
  }

  #word(word: number): void {
    this.#a = Math.imul(this.#a ^ word, MULTIPLIER_A) ^ (this.#a >>> 15);
    this.#b = Math.imul(this.#b ^ word, MULTIPLIER_B) ^ (this.#b >>> 13);
  }
}

/** The two halves of a text's own hash, computed only if the text differs from the last one. */
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

/** As `acceptModule` compares it: a module's whole health counts. */
function normalised(record: Exclude<IntakeRecord, { type: "receipt" }>): string {
  const { type: _, installationId: __, ...fact } = record;
  return canonicalJson("health" in fact ? { ...fact, health: fact.health.reported } : fact);
}

/** The finalizer of MurmurHash3: each bit in moves half of the bits out. */
function avalanche(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const SEED_A = 0x9e3779b9;
const SEED_B = 0x7f4a7c15;
const MULTIPLIER_A = 0x9e3779b1;
const MULTIPLIER_B = 0x5f356495;
