/**
 * Schema 2 adds one row for each commit, installation and kind of fact it added to. `seq` orders
 * them, so that a reader asks for what has moved since; `count` and `sum` are the state of that kind then, so that a
 * ledger that was restored or replaced is not taken for one that grew (docs/spec/publishing.md#nothing-goes-back).
 */
export const CHANGE_SCHEMA = `
CREATE TABLE change (
  seq INTEGER PRIMARY KEY,
  installation INTEGER NOT NULL,
  kind TEXT NOT NULL,
  -- facts of this kind accepted so far: the watermark
  count INTEGER NOT NULL,
  -- the sum of their hashes since the base, modulo 2^64, as a signed integer. Null is a base: facts without a sum
  sum INTEGER
) STRICT;
CREATE UNIQUE INDEX change_count ON change (installation, kind, count);
CREATE INDEX change_base ON change (installation, kind, count) WHERE sum IS NULL;

-- A writer that knows nothing of sums (an ingest of schema 1 that was under way) leaves a base behind, and is seen.
CREATE TRIGGER watermark_added AFTER INSERT ON watermark
WHEN NOT EXISTS (SELECT 1 FROM change WHERE seq = (SELECT max(seq) FROM change)
  AND installation = new.installation AND kind = new.kind AND count = new.value)
BEGIN
  INSERT OR REPLACE INTO change (installation, kind, count) VALUES (new.installation, new.kind, new.value);
END;
CREATE TRIGGER watermark_raised AFTER UPDATE ON watermark
WHEN NOT EXISTS (SELECT 1 FROM change WHERE seq = (SELECT max(seq) FROM change)
  AND installation = new.installation AND kind = new.kind AND count = new.value)
BEGIN
  INSERT OR REPLACE INTO change (installation, kind, count) VALUES (new.installation, new.kind, new.value);
END;
`;

/** From schema 1: of the facts that are there counts alone are known. No fact is read, so that it takes no time. */
export const UPGRADE_FROM_1 = `${CHANGE_SCHEMA}
INSERT INTO change (installation, kind, count)
  SELECT installation, kind, value FROM watermark ORDER BY installation, kind;
`;
