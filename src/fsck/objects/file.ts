/** A file beside the API: its type, its headers, its tag, and what a page of it loads. */
import type { StoredObject } from "../../object-store/object-store.ts";
import { revisionOf } from "../../resources/revision.ts";
import { ASSETS_PREFIX, SITE_PREFIX } from "../../resources/site/route.ts";
import type { NamedFile } from "../../resources/table.ts";
import type { Finding } from "../rules.ts";
import { answerHead } from "./answer.ts";

/** `row` is undefined for an asset, which has a type of its own. */
export function judgeFile(key: string, row: NamedFile | undefined, object: StoredObject): Finding[] {
  const findings: Finding[] = [];
  const type = row?.contentType ?? object.contentType;
  if (object.contentType !== type) {
    findings.push({ rule: "content-type", key, says: `its type is ${object.contentType}, not ${type}` });
  }
  const head = answerHead(object);
  if (typeof head === "string") return [...findings, { rule: "answer", key, says: head }];
  const text = new TextDecoder().decode(object.body);
  const tag = `"${revisionOf(text)}"`;
  const { etag = "missing" } = head.headers;
  if (etag !== tag) findings.push({ rule: "tag", key, says: `its ETag is ${etag}, its bytes give ${tag}` });
  if (object.body.length === 0) findings.push({ rule: "body", key, says: "it is empty" });
  return findings;
}

/** Keys of the assets whose paths stand in a page. */
export function assetsIn({ body }: StoredObject): string[] {
  const text = new TextDecoder().decode(body);
  const path = ASSETS_PREFIX.slice(SITE_PREFIX.length);
  const names = text.matchAll(new RegExp(`${path}[A-Za-z0-9_]{1,64}-[0-9a-f]{8,64}\\.[a-z0-9]{1,8}`, "g"));
  return [...new Set([...names].map(([name]) => SITE_PREFIX + name))];
}
