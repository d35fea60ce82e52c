import type { Publisher } from "../../../publish/publisher.ts";

/** The time by which sources are read: this host's, until a publisher runs, which knows the store's. */
export class CommonTime {
  readonly #wall: () => number;
  #publisher: Pick<Publisher, "now"> | undefined;

  /** `wall`: this host's clock, epoch ms. */
  constructor(wall: () => number) {
    this.#wall = wall;
  }

  follow(publisher: Pick<Publisher, "now">): void {
    this.#publisher = publisher;
  }

  /** Epoch ms. */
  now(): number {
    const wall = this.#wall();
    return this.#publisher?.now(wall) ?? wall;
  }
}
