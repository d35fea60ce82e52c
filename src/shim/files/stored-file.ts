/** Files that the publisher has put (docs/spec/people.md#files). */
import { PATH_PARAMETERS } from "../../http/route.ts";
import { ASSETS_PREFIX } from "../../resources/site/route.ts";
import type { ShimContext } from "../context.ts";
import type { FullAnswer } from "../full-answer.ts";
import type { FileRequest } from "../handler.ts";
import type { Soon } from "../soon.ts";
import { storedAnswer } from "../stored-answers.ts";

const ASSET = new RegExp(`^${PATH_PARAMETERS.asset}$`);

export function storedFile({ file }: FileRequest, context: ShimContext): Soon<FullAnswer | undefined> {
  const [object] = file.objects;
  return object === undefined ? undefined : storedAnswer(file, object.key, context.store, context.now());
}

/** An unknown name costs no read. */
export function storedAsset({ file, asset }: FileRequest, context: ShimContext): Soon<FullAnswer | undefined> {
  if (!ASSET.test(asset)) return undefined;
  return storedAnswer(file, `${ASSETS_PREFIX}${asset}`, context.store, context.now());
}
