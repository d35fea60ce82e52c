/** Checks the files next to the routes, if a deployment has them: page, reference, OpenAPI, status. */
import { seen } from "../judge/errors.ts";
import { header, type Reply, shown, textOf } from "../judge/exchange.ts";
import { FILE, isHtml, JUDGED_FILES, judgeFile, PAGE_CHARACTERS, subjectOf } from "../judge/files.ts";
import { assetFile } from "../resources/site/route.ts";
import type { NamedFile } from "../resources/table.ts";
import { ask, guarded } from "./ask.ts";
import { replayFile } from "./replay.ts";
import { expectHeadAsGet } from "./responses.ts";
import type { Run } from "./run.ts";

export async function judgeFiles(run: Run): Promise<void> {
  const found = await Promise.all(
    JUDGED_FILES.map(async (file) => ({ file, reply: await ask(run, { file, target: file.path }) })),
  );
  if (found.every(({ reply }) => reply.status === 404)) {
    run.skip(FILE.status, "every file is 404: the site is turned off");
    return;
  }
  await Promise.all(found.map(({ file, reply }) => guarded(run, subjectOf(file), () => walkFile(run, file, reply))));
}

async function walkFile(run: Run, file: NamedFile, reply: Reply): Promise<void> {
  run.check(FILE.status, subjectOf(file), reply.status === 200, () => ({
    expected: `200 to GET ${file.path}`,
    saw: seen(reply),
  }));
  if (reply.status !== 200) return;
  judgeFile(run, file, reply);
  await replayFile(run, file);
  await expectHeadAsGet(run, { file, target: file.path });
  const html = textOf(reply) ?? "";
  if (isHtml(file) && html.length <= PAGE_CHARACTERS) await walkAssets(run, file, html);
}

/** The maximum number of assets to request. Noonmark's own pages have two. */
const MAX_ASSETS = 32;
const ASSET = /(?:src|href)="(?:\.?\/)?(assets\/[^"]+)"/g;

async function walkAssets(run: Run, file: NamedFile, html: string): Promise<void> {
  const subject = subjectOf(file);
  const assets = [...new Set([...html.matchAll(ASSET)].map(([, path]) => path))];
  const most = `at most ${MAX_ASSETS} assets in ${file.path}`;
  run.check(FILE.asset, subject, assets.length <= MAX_ASSETS, () => ({ expected: most, saw: `${assets.length}` }));
  for (const path of assets.slice(0, MAX_ASSETS)) {
    const reply = await ask(run, { file: assetFile, target: `/${path}` });
    const cacheControl = header(reply, "cache-control");
    run.check(FILE.asset, subject, reply.status === 200 && cacheControl === assetFile.cacheControl, () => ({
      expected: `200 and Cache-Control: ${assetFile.cacheControl} to GET /${path}`,
      saw: `${seen(reply)}, ${shown(cacheControl)}`,
    }));
  }
}
