/**
 * The least that a rebuild could do: `node scan-process.ts <ledger>` reads each receipt and round of a ledger once, in
 * plain SQL, and keeps two peaks and the sums by half hour.
 */
import SqliteDatabase from "better-sqlite3";

const db = new SqliteDatabase(process.argv[2] ?? "", { readonly: true });
const started = performance.now();
db.prepare("SELECT max(rpm_milli), max(speed_mm_per_second) FROM receipt").get();
const halfHours = db
  .prepare("SELECT CAST(round_id AS INTEGER) / 3, sum(work_units), count(*) FROM round GROUP BY 1")
  .all();
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000, halfHours: halfHours.length }));
