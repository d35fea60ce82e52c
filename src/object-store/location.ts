/** Parses the setting `store`. `open-store.ts` opens each kind of location. */
import { withoutLast } from "../values/text.ts";

export type StoreLocation =
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "s3"; readonly bucket: string /** Without slashes at its ends. */; readonly prefix: string };

const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;
/** Matches texts meant as an address, such as `s3:/bucket`, `file:…` or `https://…`. `./s3:` is a directory. */
const ADDRESS = /^[a-z][a-z0-9+.-]+:/i;

/** Returns `undefined` for anything but a directory or `s3://bucket/prefix`. */
export function storeLocation(text: string): StoreLocation | undefined {
  const s3 = S3.exec(text);
  if (s3 !== null) return { kind: "s3", bucket: s3[1] ?? "", prefix: withoutSlashes(s3[2] ?? "") };
  return ADDRESS.test(text) ? undefined : { kind: "directory", path: text };
}

function withoutSlashes(text: string): string {
  return withoutLast(text.replace(/^\/+/, ""), "/");
}
