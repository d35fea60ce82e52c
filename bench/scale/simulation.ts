/**
 * The load of the origins while caches in many data centres serve readers (docs/spec/publishing.md#caches). A cache keeps a
 * response for its edge seconds from its fetch, and simultaneous requests for one URL wait for one fetch. So a URL costs a
 * data centre one fetch for each request with nothing kept, whatever the readers do meanwhile: the simulation goes from one
 * fetch to the next.
 */

export interface SimulatedUrl {
  /** Share of all requests, from 0 to 1. */
  readonly share: number;
  readonly edgeSeconds: number;
  /**
   * True if the bucket's object is past its valid-until, as all with a successor are once a publisher has been dead for long.
   */
  readonly isPast: boolean;
}

export interface Scene {
  readonly dataCentres: number;
  /** From readers, everywhere together; they come as they like (Poisson), and evenly to all data centres. */
  readonly requestsPerSecond: number;
  readonly urls: readonly SimulatedUrl[];
  readonly seconds: number;
  /** The time of a fetch from the bucket, and of one from a shim (which reads the bucket). */
  readonly fetchSeconds: number;
  readonly seed: number;
}

export interface OriginLoad {
  /** Requests of fronts to the bucket. */
  readonly bucket: number;
  /** Requests of fronts to the shims; each is one more read of the bucket. */
  readonly shim: number;
}

export function simulate(scene: Scene): OriginLoad {
  const { dataCentres, requestsPerSecond, urls } = scene;
  const random = generator(scene.seed);
  let bucket = 0;
  let shim = 0;
  for (let dataCentre = 0; dataCentre < dataCentres; dataCentre++) {
    for (const url of urls) {
      const fetches = fetchesOf(url, (requestsPerSecond * url.share) / dataCentres, scene, random);
      bucket += fetches;
      if (url.isPast) shim += fetches;
    }
  }
  return { bucket, shim };
}

/** One URL in one data centre. */
function fetchesOf({ edgeSeconds, isPast }: SimulatedUrl, perSecond: number, scene: Scene, random: () => number): number {
  const { seconds, fetchSeconds } = scene;
  const takes = isPast ? 2 * fetchSeconds : fetchSeconds;
  let fetches = 0;
  for (let now = 0; ; now += takes + edgeSeconds) {
    // The first request after what was kept has ended.
    now += -Math.log(1 - random()) / perSecond;
    if (now >= seconds) return fetches;
    fetches += 1;
  }
}

/** The same without chance, a second: what the simulation comes to on average. */
export function expected({ dataCentres, requestsPerSecond, urls, fetchSeconds }: Omit<Scene, "seed" | "seconds">): OriginLoad {
  const of = (past: boolean) =>
    urls
      .filter(({ isPast }) => !past || isPast)
      .reduce((sum, { share, edgeSeconds, isPast }) => {
        const gap = dataCentres / (requestsPerSecond * share);
        return sum + dataCentres / (gap + edgeSeconds + (isPast ? 2 : 1) * fetchSeconds);
      }, 0);
  return { bucket: of(false), shim: of(true) };
}

/** Numbers of [0, 1) from a seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
