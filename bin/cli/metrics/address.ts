/** The setting `metrics`: `none`, or the address of a process's metrics page. */
import * as z from "zod";

const NONE = "none";
const ADDRESS = /^(?:none|(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5})$/;
const HIGHEST_PORT = 65_535;

export interface MetricsAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

export const metricsSetting = z
  .string()
  .regex(ADDRESS, "is neither none nor host:port, as in 127.0.0.1:9464")
  .refine(
    (text) => text === NONE || Number(text.slice(text.lastIndexOf(":") + 1)) <= HIGHEST_PORT,
    "the port must be 0 to 65535",
  )
  .default(NONE);

/** Undefined for `none`. `text` has passed `metricsSetting`. */
export function metricsAddress(text: string): MetricsAddress | undefined {
  if (text === NONE) return undefined;
  const colon = text.lastIndexOf(":");
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(text.slice(colon + 1)) };
}
