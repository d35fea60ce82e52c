/** A tile of observations by itself (docs/spec/publishing.md#tiles). */
import { TILE_SIZE } from "../../http/keys.ts";
import type { StoredObject } from "../../object-store/object-store.ts";
import { decodeObservationCursor } from "../../resources/observations/cursor.ts";
import type { ObservationTile } from "../../resources/observations/keys.ts";
import { observationSchema } from "../../resources/observations/schema.ts";

export interface ObservationFacts {
  readonly positions: number;
  /** What is wrong with it, or undefined. */
  readonly complaint: string | undefined;
  readonly lastTelemetryId?: string;
}

export function judgeObservationTile(
  { installationId, tile }: ObservationTile,
  object: StoredObject,
): ObservationFacts {
  const lines = new TextDecoder().decode(object.body).split("\n");
  const first = tile * TILE_SIZE + 1;
  let lastTelemetryId = "";
  for (const [index, line] of lines.entries()) {
    const item = observationOf(line);
    const complaint =
      typeof item === "string"
        ? item
        : item.installationId !== installationId
          ? `it is of ${item.installationId}`
          : decodeObservationCursor(item.cursor) !== first + index
            ? `its cursor is not that of position ${first + index}`
            : undefined;
    if (complaint !== undefined) return { positions: lines.length, complaint: `line ${index + 1}: ${complaint}` };
    if (typeof item !== "string") lastTelemetryId = item.telemetryId;
  }
  const complaint = lines.length > TILE_SIZE ? `it has ${lines.length} positions` : undefined;
  return { positions: lines.length, complaint, lastTelemetryId };
}

function observationOf(line: string) {
  try {
    const { data, error } = observationSchema.safeParse(JSON.parse(line));
    return data ?? `${error?.issues[0]?.path.join(".")}: ${error?.issues[0]?.message}`;
  } catch {
    return "it is no JSON";
  }
}
