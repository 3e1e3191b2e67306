import type { Evidence, Insight, InsightPart } from "./insights.queries.ts";

/** More parts of one dimension than these explain nothing further. */
const PARTS_SHOWN = 4;
const SHORT_ID = 12;

export const KIND_LABELS: Readonly<Record<Insight["kind"], string>> = {
  anomaly: "Unusual",
  key_unused: "Unused key",
  key_expiring: "Expiring key",
  quota_near: "Quota",
  invoice_overdue: "Invoice",
};

export const MEASURE_LABELS: Readonly<Record<Evidence["measure"], string>> = {
  requests: "Requests an hour",
  error_rate: "Share of errors, %",
  errors: "Errors an hour",
  denied: "Refused requests an hour",
  latency_avg: "Mean latency, ms",
};

const DIMENSION_LABELS: Readonly<Record<InsightPart["dimension"], string>> = {
  key: "By key",
  route: "By route",
  status: "By status",
  outcome: "By outcome",
  tenant: "By tenant",
};

/** Where one click leads. */
export type InsightLink =
  | { to: "/analytics"; search: Record<string, string>; label: string }
  | { to: "/api-keys"; search: { key: string }; label: string }
  | { to: "/plans"; search: Record<string, never>; label: string }
  | { to: "/billings"; search: { invoice: string }; label: string };

export function toInsightLink({ action }: Insight): InsightLink {
  switch (action.do) {
    case "open_chart": {
      const { from, to, dimension, value } = action;
      const part = dimension === null || value === null ? {} : { [dimension]: value };
      return { to: "/analytics", search: { from, to, ...part }, label: "Open chart" };
    }
    case "limit_key":
      return { to: "/api-keys", search: { key: action.keyId }, label: "Limit key" };
    case "revoke_key":
      return { to: "/api-keys", search: { key: action.keyId }, label: "Review key" };
    case "extend_key":
      return { to: "/api-keys", search: { key: action.keyId }, label: "Extend key" };
    case "change_plan":
      return { to: "/plans", search: {}, label: "Compare plans" };
    case "pay_invoice":
      return { to: "/billings", search: { invoice: action.invoiceId }, label: "Open invoice" };
  }
}

/** The parts of a change by dimension, the largest first, with how much they leave out. */
export type PartGroup = {
  label: string;
  parts: { name: string; percent: string; isCause: boolean }[];
  others: number;
};

function nameOf({ dimension, value }: InsightPart, keyNames: ReadonlyMap<string, string>): string {
  if (value === "") {
    return dimension === "key" ? "Without a key" : "None";
  }
  return dimension === "key" ? (keyNames.get(value) ?? value.slice(0, SHORT_ID)) : value;
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
        name: nameOf(part, keyNames),
        percent: `${String(Math.round(part.share * 100))} %`,
        isCause: cause?.dimension === part.dimension && cause.value === part.value,
      })),
      others: Math.max(0, sorted.length - PARTS_SHOWN),
    };
  });
}

/** "1,200 instead of 90 to 310" */
export function describeEvidence({ actual, low, high }: Evidence): string {
  const round = (value: number) =>
    value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 1 : 0 });
  return `${round(actual)} instead of ${round(low)} to ${round(high)}`;
}
