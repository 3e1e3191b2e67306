import type { Answer } from "@turnpike/contract/questions";
import { mayInTenant } from "@turnpike/domain/access/actor";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { toPlural } from "@turnpike/domain/text/to-plural";
import { getUpcomingInvoice } from "#modules/billing/index.ts";
import { getLimits } from "#modules/metering/index.ts";
import { listInsights } from "../manage-insights.ts";
import type { AskDeps, Asker } from "./asker.ts";
import { CannotAnswer } from "./cannot-answer.ts";
import type { NamedVocabulary } from "./named-vocabulary.ts";

export type Said = { answer: Answer | null; sentence: string; assumed: readonly string[] };

function tenantOf({ tenantId }: Asker) {
  if (tenantId === null) {
    throw new CannotAnswer("That is answered for one tenant: open it and ask there.");
  }
  return tenantId;
}

const dateOf = (instant: string, timeZone: string) =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone,
    day: "numeric",
    month: "long",
    year: "numeric",
  }).format(Date.parse(instant));

/** Answers how much of the quotas is used and left. @throws {CannotAnswer} for all tenants. */
export async function answerQuota(
  deps: AskDeps,
  asker: Asker,
  vocabulary: NamedVocabulary,
): Promise<Said> {
  const { quotas } = await getLimits(deps, asker.context, { tenantId: tenantOf(asker) });
  const own = quotas.filter(({ environment }) => environment === "live");
  const [first] = own;
  if (first === undefined) {
    return { answer: null, assumed: [], sentence: "The plan has no quota: nothing runs out." };
  }
  const texts = own.map(({ meter, used, limit, remaining, resetAt }) => {
    const unit =
      meter === REQUESTS_METER ? "request" : (vocabulary.meters.get(meter)?.unit ?? meter);
    const percent = limit === 0 ? 100 : Math.floor((100 * (limit - Number(remaining))) / limit);
    return `${toGrouped(used)} of ${toGrouped(limit)} ${toPlural(unit)} are used (${String(percent)} % with what is reserved), ${toGrouped(remaining)} are left until ${dateOf(resetAt, asker.timeZone)}.`;
  });
  const measure = (name: string, title: string) => ({
    name,
    title,
    unit: "count" as const,
    unitName: null,
  });
  return {
    assumed: ["live calls"],
    sentence: texts.join(" "),
    answer: {
      measures: [measure("used", "Used"), measure("limit", "Limit"), measure("remaining", "Left")],
      dimensions: ["meter"],
      from: first.periodStart,
      to: first.resetAt,
      grain: null,
      rows: own.map(({ meter, used, limit, remaining }) => ({
        time: null,
        group: { meter },
        values: { used, limit, remaining },
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

/** Answers what the next invoice is so far. @throws {CannotAnswer} for all tenants. */
export async function answerInvoice(deps: AskDeps, asker: Asker): Promise<Said> {
  const tenantId = tenantOf(asker);
  const invoice = await getUpcomingInvoice(deps, asker.context, { tenantId, environment: "live" });
  const { currency, total, due, issuesAt, asOf, from, to, lines } = invoice;
  if (issuesAt === null) {
    return {
      answer: null,
      assumed: [],
      sentence: "No invoice is to come: nothing on the plan is billed.",
    };
  }
  const difference =
    due === total ? "" : `; ${due} ${currency} are to pay after credit and balance`;
  return {
    assumed: ["the next invoice as it stands now"],
    sentence: `With what is used so far the next invoice comes to ${toGrouped(total)} ${currency}${difference}. It is issued on ${dateOf(issuesAt, asker.timeZone)}.`,
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
      totals: { amount: total },
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
  const found = items.filter(({ kind }) => kind === "key_unused" || kind === "key_expiring");
  const withNames = (text: string) =>
    text.replace(/key_[0-9a-f]{32}/g, (id) => (seesKeys ? (vocabulary.names.get(id) ?? id) : id));
  const texts = found.map(({ text }) => withNames(text));
  if (checkedAt === null) {
    return {
      answer: null,
      assumed: [],
      sentence: "The keys have not been looked at yet; that happens every hour.",
    };
  }
  const [first] = found;
  if (first === undefined) {
    return {
      answer: null,
      assumed: [],
      sentence: "No key needs attention: none is unused for 30 days, and none expires within 14.",
    };
  }
  return {
    assumed: ["unused for 30 days, or expiring within 14"],
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
