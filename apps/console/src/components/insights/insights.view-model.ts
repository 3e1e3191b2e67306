import { t } from "@lingui/core/macro";
import { LANGUAGE } from "@turnpike/ui/language";
import { formatPercent } from "#platform/format.ts";
import { joinCommaList } from "#platform/usage-query.ts";
import type { Evidence, Insight, InsightPart } from "./insights.queries.ts";

/** More parts of one dimension than these explain nothing further. */
const PARTS_SHOWN = 4;
const SHORT_ID = 12;

/** What an insight is about: where else than in the feed it is shown. */
export type InsightTopic = "usage" | "keys" | "plan" | "billing";

type KindFacts = {
  label: string;
  topic: InsightTopic;
  /** How soon it needs a person, from 1; the feed begins with the highest. */
  urgency: 1 | 2 | 3;
};

export const KINDS: Readonly<Record<Insight["kind"], KindFacts>> = {
  anomaly: { label: t`Unusual`, topic: "usage", urgency: 2 },
  key_unused: { label: t`Unused key`, topic: "keys", urgency: 1 },
  key_expiring: { label: t`Expiring key`, topic: "keys", urgency: 2 },
  key_leaked: { label: t`Leaked key`, topic: "keys", urgency: 3 },
  key_foreign_network: { label: t`Foreign network`, topic: "keys", urgency: 3 },
  key_changed: { label: t`Changed key`, topic: "keys", urgency: 2 },
  key_overbroad: { label: t`Broad key`, topic: "keys", urgency: 1 },
  quota_near: { label: t`Quota`, topic: "plan", urgency: 3 },
  spend_cap_near: { label: t`Spend cap`, topic: "billing", urgency: 3 },
  credit_low: { label: t`Credit`, topic: "billing", urgency: 3 },
  credit_expiring: { label: t`Credit`, topic: "billing", urgency: 2 },
  invoice_overdue: { label: t`Invoice`, topic: "billing", urgency: 3 },
  tenant_outgrowing: { label: t`Outgrows`, topic: "plan", urgency: 2 },
  tenant_leaving: { label: t`May leave`, topic: "usage", urgency: 3 },
  plan_advice: { label: t`Plan`, topic: "plan", urgency: 1 },
  payment_failed: { label: t`Payment`, topic: "billing", urgency: 3 },
};

/** Failing calls reach the customers of an API before everything else does. */
const URGENT_MEASURES: readonly Evidence["measure"][] = ["errors", "error_rate"];

export function urgencyOf({ kind, evidence }: Pick<Insight, "kind" | "evidence">): 1 | 2 | 3 {
  const isFailing = evidence !== null && URGENT_MEASURES.includes(evidence.measure);
  return isFailing ? 3 : KINDS[kind].urgency;
}

export const URGENCIES = {
  3: { tone: "danger", label: t`Urgent` },
  2: { tone: "warning", label: t`Worth checking` },
  1: { tone: "neutral", label: t`Good to know` },
} as const;

/** The most urgent first, then the most certain, then the newest. */
export function rankInsights<
  Item extends Pick<Insight, "kind" | "evidence" | "confidence" | "since">,
>(items: readonly Item[]): Item[] {
  return items.toSorted(
    (a, b) =>
      urgencyOf(b) - urgencyOf(a) ||
      b.confidence - a.confidence ||
      Date.parse(b.since) - Date.parse(a.since),
  );
}

const KEY_ID = /key_[0-9a-f]{32}/g;

/** The keys that an insight is about: that of its action, and those that explain it. */
export function listKeyIds({
  text,
  action,
  evidence,
}: Pick<Insight, "text" | "action" | "evidence">): string[] {
  const parts = evidence?.parts ?? [];
  return [
    ...new Set([
      ...(text.match(KEY_ID) ?? []),
      ...("keyId" in action ? [String(action.keyId)] : []),
      ...parts.flatMap(({ dimension, value }) =>
        dimension === "key" && value !== "" ? [value] : [],
      ),
    ]),
  ];
}

/** Whether an insight is about a key: it would be changed by the action, or it explains the change. */
export function isAboutKey(
  { action, evidence }: Pick<Insight, "action" | "evidence">,
  keyId: string,
): boolean {
  const cause = evidence?.cause;
  return (
    ("keyId" in action && String(action.keyId) === keyId) ||
    (cause?.dimension === "key" && cause.value === keyId)
  );
}

/** Writes the names of things instead of their ids. */
export function nameIds(text: string, names: ReadonlyMap<string, string>): string {
  return text.replaceAll(/(?:key|ten)_[0-9a-f]{32}/g, (id) => names.get(id) ?? id);
}

export const MEASURE_LABELS: Readonly<Record<Evidence["measure"], string>> = {
  requests: t`Requests an hour`,
  error_rate: t`Share of errors, %`,
  errors: t`Errors an hour`,
  denied: t`Denied calls an hour`,
  latency_avg: t`Mean latency, ms`,
  spend: t`Charges an hour`,
};

const DIMENSION_LABELS: Readonly<Record<InsightPart["dimension"], string>> = {
  key: t`By key`,
  route: t`By route`,
  status: t`By status`,
  outcome: t`By outcome`,
  tenant: t`By tenant`,
  meter: t`By meter`,
};

/** Where one click leads. */
export type InsightLink =
  | { to: "/analytics"; search: Record<string, string>; label: string }
  | { to: "/api-keys"; search: { key: string }; label: string }
  | { to: "/plans"; search: Record<string, never>; label: string }
  | { to: "/operator/tenants"; search: { q: string }; label: string }
  | { to: "/billings"; search: { invoice?: string }; label: string };

type Chart = { from: string; to: string; dimension: string | null; value: string | null };

function toChartLink({ from, to, dimension, value }: Chart): InsightLink {
  // The chart of a meter is one of its own: it shows calls of one meter at a time.
  const isCalls = dimension !== null && dimension !== "meter" && value !== null;
  const part = isCalls ? { [dimension]: joinCommaList([value]) } : {};
  return { to: "/analytics", search: { from, to, ...part }, label: t`Open chart` };
}

/** Where the one action of an insight leads. */
export function toInsightLink({ action }: Pick<Insight, "action">): InsightLink {
  switch (action.do) {
    case "open_chart":
      return toChartLink(action);
    case "limit_key":
      return { to: "/api-keys", search: { key: action.keyId }, label: t`Limit key` };
    case "revoke_key":
      return { to: "/api-keys", search: { key: action.keyId }, label: t`Review key` };
    case "extend_key":
      return { to: "/api-keys", search: { key: action.keyId }, label: t`Extend key` };
    case "narrow_key":
      return { to: "/api-keys", search: { key: action.keyId }, label: t`Review scopes` };
    case "change_spend_cap":
      return { to: "/billings", search: {}, label: t`Change cap` };
    case "open_tenant":
      return { to: "/operator/tenants", search: { q: action.tenantId }, label: t`Find tenant` };
    case "add_credit":
      return { to: "/billings", search: {}, label: t`Add credit` };
    case "open_credit":
      return { to: "/billings", search: {}, label: t`Open credit` };
    case "change_plan":
      return { to: "/plans", search: {}, label: t`Compare plans` };
    case "pay_invoice":
      return { to: "/billings", search: { invoice: action.invoiceId }, label: t`Open invoice` };
  }
}

/** The chart of the hours of an anomaly, narrowed to what explains it; undefined for facts. */
export function toEvidenceLink({ evidence }: Pick<Insight, "evidence">): InsightLink | undefined {
  return evidence === null
    ? undefined
    : toChartLink({
        from: evidence.from,
        to: evidence.to,
        dimension: evidence.cause?.dimension ?? null,
        value: evidence.cause?.value ?? null,
      });
}

/** The parts of a change by dimension, the largest first, with how much they leave out. */
export type PartGroup = {
  label: string;
  parts: {
    /** Tells the parts apart; names may be equal. */
    value: string;
    name: string;
    percent: string;
    /** Of its bar, in percent: what moved against the change has none. */
    width: number;
    isCause: boolean;
  }[];
  others: number;
};

/** Start and end of an id: the start alone is the time, which several may share. */
function shorten(id: string): string {
  return id.length > SHORT_ID ? `${id.slice(0, SHORT_ID)}…${id.slice(-4)}` : id;
}

function nameOf({ dimension, value }: InsightPart, keyNames: ReadonlyMap<string, string>): string {
  if (value === "") {
    return dimension === "key" ? t`Without a key` : t`None`;
  }
  return dimension === "key" ? (keyNames.get(value) ?? shorten(value)) : value;
}

export function groupParts(
  { parts, cause }: Pick<Evidence, "parts" | "cause">,
  keyNames: ReadonlyMap<string, string>,
): PartGroup[] {
  const dimensions = [...new Set(parts.map(({ dimension }) => dimension))];
  return dimensions.map((dimension) => {
    const sorted = parts
      .filter((part) => part.dimension === dimension)
      .toSorted((a, b) => Math.abs(b.share) - Math.abs(a.share));
    return {
      label: DIMENSION_LABELS[dimension],
      parts: sorted.slice(0, PARTS_SHOWN).map((part) => ({
        value: part.value,
        name: nameOf(part, keyNames),
        percent: formatPercent(part.share),
        width: Math.round(100 * Math.min(1, Math.max(0, part.share))),
        isCause: cause?.dimension === part.dimension && cause.value === part.value,
      })),
      others: Math.max(0, sorted.length - PARTS_SHOWN),
    };
  });
}

/** Writes a value of a measure: whole numbers from ten on, one decimal below. */
export function formatLevel(value: number): string {
  return value.toLocaleString(LANGUAGE, { maximumFractionDigits: Math.abs(value) < 10 ? 1 : 0 });
}

/** The measure with its unit: that of charges is a currency. */
export function labelMeasure({
  measure,
  currency,
}: Pick<Evidence, "measure" | "currency">): string {
  const label = MEASURE_LABELS[measure];
  return currency === undefined ? label : `${label}, ${currency}`;
}

/** "1,200 instead of 90 to 310" */
export function describeEvidence({ actual, low, high }: Evidence): string {
  const round = formatLevel;
  return t`${round(actual)} instead of ${round(low)} to ${round(high)}`;
}
