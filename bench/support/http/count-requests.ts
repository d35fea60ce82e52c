/** Counts what goes through the global fetch, and how long it was waited for. */
export interface RequestCount {
  requests: number;
  /** Milliseconds from a request's start to the end of its response's body, one request at a time. */
  waited: number;
  stop(): void;
}

export function countRequests(): RequestCount {
  const real = globalThis.fetch;
  const counted: RequestCount = {
    requests: 0,
    waited: 0,
    stop() {
      globalThis.fetch = real;
    },
  };
  globalThis.fetch = async (input, init) => {
    counted.requests++;
    const begun = performance.now();
    const response = await real(input, init);
    const body = await response.arrayBuffer();
    counted.waited += performance.now() - begun;
    return new Response(body, { status: response.status, headers: response.headers });
  };
  return counted;
}
