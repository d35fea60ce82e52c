/** Bytes by key, as many as a bound allows; what was not used for longest goes first. */
export class BytesCache {
  readonly #most: number;
  readonly #entries = new Map<string, Uint8Array>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Uint8Array | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  /** What is larger than an eighth of the whole is not worth what it would drive out. */
  add(key: string, bytes: Uint8Array): void {
    if (bytes.length > this.#most / 8) return;
    this.#drop(key);
    this.#entries.set(key, bytes);
    this.#bytes += bytes.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#most) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.length ?? 0;
    this.#entries.delete(key);
  }
}
