/** Parses as much of the Prometheus text format as the tests need. */

/** Sample values by name and labels, as written. Throws if a line is not a sample. */
export function samplesOf(text: string): Record<string, number> {
  const samples: Record<string, number> = {};
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*(?:\{.*\})?) (\S+)$/.exec(line);
    if (match === null) throw new Error(`not a sample: ${line}`);
    samples[match[1] as string] = Number(match[2]);
  }
  return samples;
}

/** Fetches and parses a metrics page. */
export async function scrape(url: string): Promise<Record<string, number>> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url}: HTTP ${response.status}`);
  return samplesOf(await response.text());
}
