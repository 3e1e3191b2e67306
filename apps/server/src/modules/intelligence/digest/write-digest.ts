import type { MailContent } from "@turnpike/domain/mail/mail-content";
import { toMailedName } from "@turnpike/domain/text/name-fault";
import { said } from "@turnpike/domain/text/said";
import type { DigestedInsight, DueDigest } from "./digests.store.ts";

/** Callers choose the paths of their requests: one that a mail program would make a link of is left out. */
const ROUTE = /(?<![\w/.:])\/[^\s,;()“”"]+/gu;

const nameRoutes = (text: string) =>
  text.replace(ROUTE, (route) => toMailedName(route, said("a route whose name is in the console")));

/** More of a section than these are counted. */
const LISTED_MAX = 20;

export type Digest = {
  opened: DigestedInsight[];
  ended: DigestedInsight[];
  open: DigestedInsight[];
};

/** Sorts what is new since the last digest from what ended and what was known and goes on. */
export function toDigest(insights: readonly DigestedInsight[], from: Date): Digest {
  const isNew = (insight: DigestedInsight) => insight.opened_at >= from;
  return {
    opened: insights.filter((insight) => insight.ended_at === null && isNew(insight)),
    ended: insights.filter((insight) => insight.ended_at !== null),
    open: insights.filter((insight) => insight.ended_at === null && !isNew(insight)),
  };
}

type Writing = {
  digest: Digest;
  /** Whose digest it is, and since when it tells. */
  due: DueDigest;
  /** Names instead of the ids of keys. */
  nameKeys: (text: string) => string;
  brandName: string;
  /** Without a trailing slash; undefined when none is configured. */
  consoleUrl: string | undefined;
};

function writeItem(insight: DigestedInsight, writing: Writing, format: Intl.DateTimeFormat) {
  const { due, nameKeys, consoleUrl } = writing;
  const tenant = encodeURIComponent(due.tenant_slug);
  const times =
    insight.ended_at === null
      ? said(`Since ${format.format(insight.since)}.`)
      : said(`From ${format.format(insight.since)} to ${format.format(insight.ended_at)}.`);
  const link =
    consoleUrl === undefined || insight.ended_at !== null
      ? []
      : [`${consoleUrl}/ai-intelligence?tenant=${tenant}&insight=${insight.insight_id}`];
  return [nameKeys(nameRoutes(insight.facts.text)), times, ...link];
}

function writeSection(
  toTitle: (count: string) => string,
  insights: readonly DigestedInsight[],
  write: (insight: DigestedInsight) => string[],
): MailContent {
  const others = insights.length - LISTED_MAX;
  return insights.length === 0
    ? []
    : [
        {
          kind: "list",
          title: toTitle(String(insights.length)),
          items: [
            ...insights.slice(0, LISTED_MAX).map(write),
            ...(others > 0 ? [[said(`and ${String(others)} more`)]] : []),
          ],
        },
      ];
}

function sayNews(opened: string, ended: string): string {
  if (ended === "0") {
    return said(`what changed, ${opened} new`);
  }
  return opened === "0"
    ? said(`what changed, ${ended} ended`)
    : said(`what changed, ${opened} new, ${ended} ended`);
}

/** Writes a digest as a mail. The subject has no name that people chose: it is read as ours. */
export function writeDigest(writing: Writing): {
  subject: string;
  content: MailContent;
} {
  const { digest, due, brandName, consoleUrl } = writing;
  const { opened, ended, open } = digest;
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: due.time_zone,
    day: "numeric",
    month: "long",
    hour: "2-digit",
    minute: "2-digit",
  });
  const write = (insight: DigestedInsight) => writeItem(insight, writing, format);
  const feed =
    consoleUrl === undefined
      ? []
      : [
          {
            kind: "link" as const,
            label: "Open AI intelligence",
            address: `${consoleUrl}/ai-intelligence?tenant=${encodeURIComponent(due.tenant_slug)}`,
          },
        ];
  return {
    subject: `${brandName}: ${sayNews(String(opened.length), String(ended.length))}`,
    content: [
      {
        kind: "title",
        text: said(`What changed since ${format.format(due.told_to)} (${due.time_zone})`),
      },
      ...writeSection((count) => said(`New (${count})`), opened, write),
      ...writeSection((count) => said(`Ended (${count})`), ended, write),
      ...writeSection((count) => said(`Still open (${count})`), open, write),
      {
        kind: "facts",
        facts: [[said("Tenant"), toMailedName(due.tenant_name, due.tenant_slug), "people"]],
      },
      {
        kind: "paragraph",
        text: [
          due.frequency === "daily"
            ? "You chose to get this each day with news."
            : "You chose to get this each Monday with news.",
          "To change or end it, open AI intelligence and choose under Digest by mail.",
        ].join("\n"),
      },
      ...feed,
    ],
  };
}
