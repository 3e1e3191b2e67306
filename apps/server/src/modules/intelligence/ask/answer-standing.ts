import type { Exhaustion } from "@turnpike/contract/forecasts";
import type { Answer } from "@turnpike/contract/questions";
import { mayInTenant } from "@turnpike/domain/access/actor";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { toPlural } from "@turnpike/domain/text/to-plural";
import { getUpcomingInvoice } from "#modules/billing/index.ts";
import { forecastExhaustion } from "../forecasts/forecast-exhaustion.ts";
import { forecastInvoice } from "../forecasts/forecast-invoice.ts";
import { listInsights } from "../manage-insights.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { CannotAnswer } from "./cannot-answer.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";

export type Said = { answer: Answer | null; sentence: string; assumed: readonly string[] };

/** The tenant that is asked about. @throws {CannotAnswer} for all tenants. */
export function tenantOf({ tenantId }: Asker) {
  if (tenantId === null) {
    throw new CannotAnswer("That is answered for one tenant: open it and ask there.");
  }
  return tenantId;
}

export const dateOf = (instant: string, timeZone: string) =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone,
    day: "numeric",
    month: "long",
    year: "numeric",
  }).format(Date.parse(instant));

/** When it runs out. */
export function describeRunOut(
  { state, at, earliest80, latest80 }: Exhaustion,
  timeZone: string,
): string {
  switch (state) {
    case "exhausted":
      return "Nothing is left.";
    case "runs_out": {
      const from = earliest80 === null ? "" : dateOf(earliest80, timeZone);
      const to = latest80 === null ? "not at all" : dateOf(latest80, timeZone);
      const range = from === "" ? "" : ` (in 4 of 5 cases between ${from} and ${to})`;
      return `It will most likely run out on ${dateOf(at ?? "", timeZone)}${range}.`;
    }
    case "not_within_90_days":
      return "It will most likely not run out within 90 days.";
    case "not_enough_history":
      return "There are too few days of usage to say when it runs out.";
  }
}

/** What is used and left of one limit, and when it runs out. */
function describeExhaustion(item: Exhaustion, timeZone: string): string {
  const { kind, name, limit, used, left, unit, resetsAt } = item;
  const amount = (value: string) => (kind === "quota" ? toGrouped(value) : `${value} ${unit}`);
  const nouns = kind === "quota" ? ` ${toPlural(unit)}` : ` of the ${name.toLowerCase()}`;
  const be = kind === "quota" ? "are" : "is";
  const until = resetsAt === null ? "" : ` until ${dateOf(resetsAt, timeZone)}`;
  const use = `${amount(used)} of ${amount(limit)}${nouns} ${be} used, ${amount(left)} ${be} left${until}.`;
  return `${use} ${describeRunOut(item, timeZone)}`;
}

/** Answers what is used and left of quotas, spend cap and credit, and when they run out. @throws {CannotAnswer} for all tenants. */
export async function answerQuota(deps: AskDeps, asker: Asker): Promise<Said> {
  const { items, asOf } = await forecastExhaustion(deps, asker.context, {
    tenantId: tenantOf(asker),
  });
  if (items.length === 0) {
    return {
      answer: null,
      assumed: [],
      sentence: "There is no quota, no spend cap and no credit: nothing runs out.",
    };
  }
  const measure = (name: string, title: string) => ({
    name,
    title,
    unit: "units" as const,
    unitName: null,
  });
  return {
    assumed: ["live calls"],
    sentence: items.map((item) => describeExhaustion(item, asker.timeZone)).join(" "),
    answer: {
      measures: [measure("used", "Used"), measure("limit", "Limit"), measure("left", "Left")],
      dimensions: ["limit of", "runs out"],
      from: asOf,
      to: items[0]?.resetsAt ?? asOf,
      grain: null,
      rows: items.map(({ name, used, limit, left, at }) => ({
        time: null,
        group: {
          "limit of": name,
          "runs out": at === null ? "not foreseen" : dateOf(at, asker.timeZone),
        },
        values: { used, limit, left },
        before: null,
      })),
      totals: null,
      totalsBefore: null,
      names: {},
      truncated: false,
      usage: null,
    },
  };
}

/** Answers what the next invoice will most likely be, and what it is so far. @throws {CannotAnswer} for all tenants. */
export async function answerInvoice(deps: AskDeps, asker: Asker): Promise<Said> {
  const tenantId = tenantOf(asker);
  const { timeZone } = asker;
  const running = await getUpcomingInvoice(deps, asker.context, { tenantId, environment: "live" });
  const { currency, total, issuesAt, asOf } = running;
  if (issuesAt === null) {
    const sentence = "There is no upcoming invoice: the plan charges nothing.";
    return { answer: null, assumed: [], sentence };
  }
  const forecast = await forecastInvoice(deps, asker.context, { tenantId });
  const [next] = forecast.invoices;
  const money = (amount: string) => `${toGrouped(amount)} ${currency}`;
  const soFar = `So far it comes to ${money(total)}.`;
  const sentence =
    next === undefined
      ? `The next invoice is issued on ${dateOf(issuesAt, timeZone)}. ${soFar} There are too few days of usage to say what it will be.`
      : `The next invoice will most likely come to ${money(next.total.mean)}, in 4 of 5 cases between ${money(next.total.lower80)} and ${money(next.total.upper80)}; it is issued on ${dateOf(next.issuesAt, timeZone)}. ${soFar}`;
  const { lines, from, to } = next ?? running;
  return {
    assumed: [
      next === undefined
        ? "the next invoice as it stands now"
        : "the next invoice, with usage as it is forecast",
    ],
    sentence,
    answer: {
      measures: [{ name: "amount", title: "Amount", unit: "money", unitName: currency }],
      dimensions: ["line"],
      from: from ?? asOf,
      to: to ?? issuesAt,
      grain: null,
      rows: lines.map(({ description, amount }) => ({
        time: null,
        group: { line: description },
        values: { amount },
        before: null,
      })),
      totals: { amount: next?.total.mean ?? total },
      totalsBefore: null,
      names: {},
      truncated: false,
      usage: null,
    },
  };
}

/** Answers which keys need attention, from the insights of the tenant. @throws {CannotAnswer} for all tenants. */
export async function answerRisk(
  deps: AskDeps,
  asker: Asker,
  vocabulary: NamedVocabulary,
): Promise<Said> {
  const tenantId = tenantOf(asker);
  const { items, checkedAt } = await listInsights(deps, asker.context, { tenantId, state: "open" });
  const seesKeys = mayInTenant(asker.context.actor, "keys:read", tenantId);
  const found = items.filter(({ kind }) => kind.startsWith("key_"));
  const withNames = (text: string) =>
    text.replace(/key_[0-9a-f]{32}/g, (id) => (seesKeys ? (vocabulary.names.get(id) ?? id) : id));
  const texts = found.map(({ text }) => withNames(text));
  if (checkedAt === null) {
    return {
      answer: null,
      assumed: [],
      sentence: "The keys have not been checked yet; they are checked every hour.",
    };
  }
  const [first] = found;
  if (first === undefined) {
    return {
      answer: null,
      assumed: [],
      sentence:
        "No key needs attention: none was found in public, has changed what it calls, has been unused for 30 days, has more rights than it uses, or expires within 14 days.",
    };
  }
  return {
    assumed: [
      "found in public, changed, unused for 30 days, with more rights than it uses, or expiring within 14 days",
    ],
    sentence: `${String(found.length)} ${found.length === 1 ? "key needs" : "keys need"} attention. ${texts.slice(0, 3).join(" ")}`,
    answer: {
      measures: [],
      dimensions: ["finding"],
      from: first.since,
      to: checkedAt,
      grain: null,
      rows: texts.map((finding) => ({ time: null, group: { finding }, values: {}, before: null })),
      totals: null,
      totalsBefore: null,
      names: {},
      truncated: false,
      usage: null,
    },
  };
}
