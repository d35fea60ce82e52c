/**
 * The lower bound for a rebuild: `node scan-process.ts LEDGER` reads each receipt and round once in plain SQL. It keeps
 * two maxima and the sums per half hour.
 */
import SqliteDatabase from "better-sqlite3";

const db = new SqliteDatabase(process.argv[2] ?? "", { readonly: true });
const started = performance.now();
db.prepare("SELECT max(rpm_milli), max(speed_mm_per_second) FROM receipt").get();
const halfHours = db
  .prepare("SELECT CAST(round_id AS INTEGER) / 3, sum(work_units), count(*) FROM round GROUP BY 1")
  .all();
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000, halfHours: halfHours.length }));
