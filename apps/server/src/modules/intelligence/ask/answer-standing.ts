import type { Exhaustion } from "@turnpike/contract/forecasts";
import type { Answer } from "@turnpike/contract/questions";
import { mayInTenant } from "@turnpike/domain/access/actor";
import { said } from "@turnpike/domain/text/said";
import { getUpcomingInvoice } from "#modules/billing/index.ts";
import { forecastExhaustion } from "../forecasts/forecast-exhaustion.ts";
import { forecastInvoice } from "../forecasts/forecast-invoice.ts";
import { listInsights } from "../manage-insights.ts";
import type { AnswerWords } from "./answer-words.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { CannotAnswer } from "./cannot-answer.ts";
import { nounsOf } from "./format-cell.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";

export type Said = { answer: Answer | null; sentence: string; assumed: readonly string[] };

/** The tenant that is asked about. @throws {CannotAnswer} for all tenants. */
export function tenantOf({ tenantId }: Asker) {
  if (tenantId === null) {
    throw new CannotAnswer("That is answered for one tenant: open it and ask there.");
  }
  return tenantId;
}

const DATE = { day: "numeric", month: "long", year: "numeric" } as const;

export const dateOf = (words: AnswerWords, instant: string, timeZone: string) =>
  words.time(timeZone, DATE)(Date.parse(instant));

type Reader = Pick<Asker, "timeZone" | "words">;

/** When it runs out. */
export function describeRunOut(
  { state, at, earliest80, latest80 }: Exhaustion,
  { timeZone, words }: Reader,
): string {
  const { say } = words;
  const date = (instant: string) => dateOf(words, instant, timeZone);
  switch (state) {
    case "exhausted":
      return say("Nothing is left.");
    case "runs_out":
      return earliest80 === null
        ? say("It will most likely run out on {0}.", date(at ?? ""))
        : say(
            "It will most likely run out on {0} (in 4 of 5 cases between {1} and {2}).",
            date(at ?? ""),
            date(earliest80),
            latest80 === null ? say(said("not at all")) : date(latest80),
          );
    case "not_within_90_days":
      return say("It will most likely not run out within 90 days.");
    case "not_enough_history":
      return say("There are too few days of usage to say when it runs out.");
  }
}

/** What is used and left of one limit, and when it runs out. */
function describeExhaustion(item: Exhaustion, reader: Reader): string {
  const { timeZone, words } = reader;
  const { say, number, money, inSentence, translate } = words;
  const { kind, name, limit, used, left, unit, resetsAt } = item;
  const isQuota = kind === "quota";
  const [, units] = nounsOf({ name: unit, title: unit, unit: "units", unitName: unit });
  const amount = (value: string) => (isQuota ? number(value) : money(value, unit));
  const values = [
    ...[amount(used), amount(limit)],
    ...[isQuota ? say(units) : inSentence(translate(name)), amount(left)],
  ];
  const until = resetsAt === null ? [] : [dateOf(words, resetsAt, timeZone)];
  const sentence = isQuota
    ? resetsAt === null
      ? "{0} of {1} {2} are used, {3} are left."
      : "{0} of {1} {2} are used, {3} are left until {4}."
    : resetsAt === null
      ? "{0} of {1} of the {2} is used, {3} is left."
      : "{0} of {1} of the {2} is used, {3} is left until {4}.";
  return `${say(sentence, ...values, ...until)} ${describeRunOut(item, reader)}`;
}

/** Answers what is used and left of quotas, spend cap and credit, and when they run out. @throws {CannotAnswer} for all tenants. */
export async function answerQuota(deps: AskDeps, asker: Asker): Promise<Said> {
  const { words, timeZone } = asker;
  const { items, asOf } = await forecastExhaustion(deps, asker.context, {
    tenantId: tenantOf(asker),
  });
  if (items.length === 0) {
    return {
      answer: null,
      assumed: [],
      sentence: words.say("There is no quota, no spend cap and no credit: nothing runs out."),
    };
  }
  const measure = (name: string, title: string) => ({
    name,
    title,
    unit: "units" as const,
    unitName: null,
  });
  return {
    assumed: [said("live calls")],
    sentence: items.map((item) => describeExhaustion(item, asker)).join(" "),
    answer: {
      measures: [
        measure("used", said("Used")),
        measure("limit", said("Limit")),
        measure("left", said("Left")),
      ],
      dimensions: ["limit of", "runs out"],
      from: asOf,
      to: items[0]?.resetsAt ?? asOf,
      grain: null,
      rows: items.map(({ name, used, limit, left, at }) => ({
        time: null,
        group: {
          "limit of": words.translate(name),
          "runs out": at === null ? words.say(said("not foreseen")) : dateOf(words, at, timeZone),
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
  const { timeZone, words } = asker;
  const { say } = words;
  const running = await getUpcomingInvoice(deps, asker.context, { tenantId, environment: "live" });
  const { currency, total, issuesAt, asOf } = running;
  if (issuesAt === null) {
    const sentence = say("There is no upcoming invoice: the plan charges nothing.");
    return { answer: null, assumed: [], sentence };
  }
  const forecast = await forecastInvoice(deps, asker.context, { tenantId });
  const [next] = forecast.invoices;
  const money = (amount: string) => words.money(amount, currency);
  const date = (instant: string) => dateOf(words, instant, timeZone);
  const soFar = say("So far it comes to {0}.", money(total));
  const sentence =
    next === undefined
      ? [
          say("The next invoice is issued on {0}.", date(issuesAt)),
          soFar,
          say("There are too few days of usage to say what it will be."),
        ].join(" ")
      : `${say(
          "The next invoice will most likely come to {0}, in 4 of 5 cases between {1} and {2}; it is issued on {3}.",
          money(next.total.mean),
          money(next.total.lower80),
          money(next.total.upper80),
          date(next.issuesAt),
        )} ${soFar}`;
  const { lines, from, to } = next ?? running;
  return {
    assumed: [
      next === undefined
        ? said("the next invoice as it stands now")
        : said("the next invoice, with usage as it is forecast"),
    ],
    sentence,
    answer: {
      measures: [{ name: "amount", title: said("Amount"), unit: "money", unitName: currency }],
      dimensions: ["line"],
      from: from ?? asOf,
      to: to ?? issuesAt,
      grain: null,
      rows: lines.map(({ description, amount }) => ({
        time: null,
        group: { line: words.translate(description) },
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
  const { say, translate, number } = asker.words;
  const { items, checkedAt } = await listInsights(deps, asker.context, { tenantId, state: "open" });
  const seesKeys = mayInTenant(asker.context.actor, "keys:read", tenantId);
  const found = items.filter(({ kind }) => kind.startsWith("key_"));
  const withNames = (text: string) =>
    text.replace(/key_[0-9a-f]{32}/g, (id) => (seesKeys ? (vocabulary.names.get(id) ?? id) : id));
  const texts = found.map(({ text }) => withNames(translate(text)));
  if (checkedAt === null) {
    return {
      answer: null,
      assumed: [],
      sentence: say("The keys have not been checked yet; they are checked every hour."),
    };
  }
  const [first] = found;
  if (first === undefined) {
    return {
      answer: null,
      assumed: [],
      sentence: say(
        "No key needs attention: none was found in public, has changed what it calls, has been unused for 30 days, has more rights than it uses, or expires within 14 days.",
      ),
    };
  }
  return {
    assumed: [
      said(
        "found in public, changed, unused for 30 days, with more rights than it uses, or expiring within 14 days",
      ),
    ],
    sentence: [
      found.length === 1
        ? say(said("1 key needs attention."))
        : say("{0} keys need attention.", number(found.length)),
      ...texts.slice(0, 3),
    ].join(" "),
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
