/** Prometheus' text format, as far as tests need it. */

/** Each sample by its name and labels as they are written. Throws on a line that is none. */
export function samplesOf(text: string): Record<string, number> {
  const samples: Record<string, number> = {};
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*(?:\{.*\})?) (\S+)$/.exec(line);
    if (match === null) throw new Error(`no sample: ${line}`);
    samples[match[1] as string] = Number(match[2]);
  }
  return samples;
}

/** A page of metrics, read over HTTP. */
export async function scrape(url: string): Promise<Record<string, number>> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url}: HTTP ${response.status}`);
  return samplesOf(await response.text());
}
