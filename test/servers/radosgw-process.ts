/**
 * radosgw in a network namespace: `node radosgw-process.ts PORT FILE` writes the path of its ceph.conf to FILE, and
 * stays.
 */
import { writeFileSync } from "node:fs";
import { startRadosgw } from "./radosgw.ts";

const [port, file = ""] = process.argv.slice(2);
const { config } = await startRadosgw({ port: Number(port) });
writeFileSync(file, config);
