/** Files that the publisher has put (docs/spec/people.md#files). */
import { PATH_PARAMETERS } from "../../http/route.ts";
import { ASSETS_PREFIX } from "../../resources/site/route.ts";
import type { ShimContext } from "../context.ts";
import type { FullResponse } from "../full-response.ts";
import type { FileRequest } from "../handler.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { storedResponse } from "../stored-responses.ts";

const ASSET = new RegExp(`^${PATH_PARAMETERS.asset}$`);

export function storedFile({ file }: FileRequest, context: ShimContext): MaybePromise<FullResponse | undefined> {
  const [object] = file.objects;
  return object === undefined ? undefined : storedResponse(file, object.key, context.store, context.now());
}

/** An unknown name costs no read. */
export function storedAsset(
  { file, asset }: FileRequest,
  context: ShimContext,
): MaybePromise<FullResponse | undefined> {
  if (!ASSET.test(asset)) return undefined;
  return storedResponse(file, `${ASSETS_PREFIX}${asset}`, context.store, context.now());
}
