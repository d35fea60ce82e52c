/**
 * Simulates origin load while caches in many data centres serve readers (docs/spec/publishing.md#caches). A cache keeps
 * a response for its edge seconds, and concurrent requests for one URL share one fetch. The simulation therefore steps
 * from fetch to fetch, regardless of the other reader requests.
 */

export interface SimulatedUrl {
  /** Share of all requests, from 0 to 1. */
  readonly share: number;
  readonly edgeSeconds: number;
  /**
   * True if the bucket object is past its valid-until. After a long publisher outage that holds for every object with a
   * successor.
   */
  readonly isPast: boolean;
}

export interface Scene {
  readonly dataCentres: number;
  /** From all readers together: Poisson arrivals, spread evenly over the data centres. */
  readonly requestsPerSecond: number;
  readonly urls: readonly SimulatedUrl[];
  readonly seconds: number;
  /** Time of one fetch from the bucket. A fetch from a shim takes twice as long, because the shim reads the bucket. */
  readonly fetchSeconds: number;
  readonly seed: number;
}

export interface OriginLoad {
  /** Requests from fronts to the bucket. */
  readonly bucket: number;
  /** Requests from fronts to the shims. Each also causes one read of the bucket. */
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

/** Simulated fetches of one URL in one data centre. */
function fetchesOf(
  { edgeSeconds, isPast }: SimulatedUrl,
  perSecond: number,
  scene: Scene,
  random: () => number,
): number {
  const { seconds, fetchSeconds } = scene;
  const takes = isPast ? 2 * fetchSeconds : fetchSeconds;
  let fetches = 0;
  for (let now = 0; ; now += takes + edgeSeconds) {
    // The first request after the cached response expires.
    now += -Math.log(1 - random()) / perSecond;
    if (now >= seconds) return fetches;
    fetches += 1;
  }
}

/** The expected load per second, in closed form: the long-run average of the simulation. */
export function expected({
  dataCentres,
  requestsPerSecond,
  urls,
  fetchSeconds,
}: Omit<Scene, "seed" | "seconds">): OriginLoad {
  const of = (past: boolean) =>
    urls
      .filter(({ isPast }) => !past || isPast)
      .reduce((sum, { share, edgeSeconds, isPast }) => {
        const gap = dataCentres / (requestsPerSecond * share);
        return sum + dataCentres / (gap + edgeSeconds + (isPast ? 2 : 1) * fetchSeconds);
      }, 0);
  return { bucket: of(false), shim: of(true) };
}

/** Pseudo-random numbers in [0, 1) from a seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
