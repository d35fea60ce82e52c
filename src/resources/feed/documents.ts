/** The same entries as JSON Feed 1.1 (jsonfeed.org) and as Atom (RFC 4287), newest first. */
import { type FeedEntry, tagUri } from "./entry.ts";

export interface Feed {
  readonly installationId: string;
  readonly publicUrl: string | undefined;
  /** Newest first. */
  readonly entries: readonly FeedEntry[];
}

/** The date of a feed without entries, because Atom requires one. */
const NEVER = "1970-01-01T00:00:00.000Z";

export function jsonFeed({ installationId, publicUrl, entries }: Feed): string {
  return JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title: titleOf(installationId),
    ...(publicUrl === undefined ? {} : { home_page_url: `${publicUrl}/`, feed_url: `${publicUrl}/feed.json` }),
    items: entries.map(({ id, title, text, occurredAt, type }) => ({
      id,
      title,
      content_text: text,
      date_published: occurredAt,
      tags: [type],
    })),
  });
}

export function atomFeed({ installationId, publicUrl, entries }: Feed): string {
  const links =
    publicUrl === undefined
      ? []
      : [
          `<link rel="self" type="application/atom+xml" href="${escaped(`${publicUrl}/feed.atom`)}"/>`,
          `<link rel="alternate" type="text/html" href="${escaped(`${publicUrl}/`)}"/>`,
        ];
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${escaped(tagUri(installationId, "feed"))}</id>`,
    `<title>${escaped(titleOf(installationId))}</title>`,
    `<updated>${entries[0]?.occurredAt ?? NEVER}</updated>`,
    `<author><name>${escaped(installationId)}</name></author>`,
    ...links,
    ...entries.map(atomEntry),
    "</feed>",
    "",
  ].join("\n");
}

function atomEntry({ id, title, text, occurredAt, type }: FeedEntry): string {
  return [
    "<entry>",
    `<id>${escaped(id)}</id>`,
    `<title>${escaped(title)}</title>`,
    `<published>${occurredAt}</published>`,
    `<updated>${occurredAt}</updated>`,
    `<category term="${escaped(type)}"/>`,
    `<content type="text">${escaped(text)}</content>`,
    "</entry>",
  ].join("\n");
}

function titleOf(installationId: string): string {
  return `${installationId}: settlements and milestones`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
