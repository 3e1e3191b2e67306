import { STATISTICS } from "@turnpike/domain/anomaly/statistics";
import { isId } from "@turnpike/domain/ids/ids";
import { CAUSE_DIMENSIONS } from "@turnpike/domain/insights/explain-change";
import { HISTORY_HOURS_NEEDED } from "@turnpike/domain/insights/find-incident";
import { WATCHED_MEASURES } from "@turnpike/domain/insights/incident";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, keyId, pageOf, pageQuery, tenantId } from "./shapes.ts";

/** The most insights of a tenant that are open at once. */
export const INSIGHTS_MAX = 100;

const insightId = z
  .string()
  .refine((value) => isId("insight", value), {
    error: "Not the id of an insight; it looks like ins_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["ins_0199f3b0c1d27a4e8f60112233445566"] });

export const INSIGHT_KINDS = [
  "anomaly",
  "key_unused",
  "key_expiring",
  "key_leaked",
  "key_foreign_network",
  "key_changed",
  "key_overbroad",
  "quota_near",
  "spend_cap_near",
  "credit_low",
  "credit_expiring",
  "invoice_overdue",
  "payment_failed",
  "plan_advice",
  "tenant_outgrowing",
  "tenant_leaving",
] as const;

/** Kinds that are only for those who may read invoices. */
export const MONEY_KINDS = [
  "spend_cap_near",
  "credit_low",
  "credit_expiring",
  "invoice_overdue",
  "payment_failed",
  "plan_advice",
  "tenant_leaving",
] as const satisfies readonly (typeof INSIGHT_KINDS)[number][];

export function isAboutMoney({
  kind,
  evidence,
}: Pick<Insight, "kind"> & { evidence: Pick<Evidence, "measure"> | null }): boolean {
  return evidence?.measure === "spend" || MONEY_KINDS.some((each) => each === kind);
}

/** A part of the change, such as a key or a route. The empty text is the value of what has none. */
const part = z.strictObject({
  dimension: z.enum(CAUSE_DIMENSIONS),
  value: z.string(),
  /** Of the change: the shares of all parts of a dimension are 1 together; negative for a part that moved against it. */
  share: z.number(),
  /** Of the whole before. */
  weight: z.number(),
});
export type InsightPart = z.infer<typeof part>;

const point = z.strictObject({
  time: instant,
  /** Null where there was nothing to measure. */
  value: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});

/** Parts of a dimension beyond those listed. */
const otherParts = z.strictObject({
  dimension: part.shape.dimension,
  count: z.int(),
  /** Of the change, together: with the listed parts of the dimension, 1. */
  share: z.number(),
});

/** What is unusual and what is usual; means of an hour. Latencies are in milliseconds, rates in percent, spend in major units. */
const evidence = z.strictObject({
  measure: z.enum(WATCHED_MEASURES),
  /** Of spend. Its figures are statistics: what is owed is on invoices. */
  currency: z.string().optional(),
  /** The calls that were measured; null for those of all routes. */
  route: z.string().nullable(),
  /** Measures that left the usual at the same time. */
  also: z.array(z.enum(WATCHED_MEASURES)),
  statistic: z.enum(STATISTICS),
  direction: z.enum(["up", "down"]),
  from: instant,
  to: instant,
  actual: z.number(),
  expected: z.number(),
  low: z.number(),
  high: z.number(),
  /** What it was compared with to find the parts: as long, earlier. */
  comparedFrom: instant,
  /** The part that explains the change; null when it is everywhere. */
  cause: part.nullable(),
  /** By each dimension, that of the cause first; the largest parts of a dimension, the heaviest first. */
  parts: z.array(part),
  others: z.array(otherParts),
  /** By the hour, from two days before. */
  points: z.array(point),
});

type Evidence = z.infer<typeof evidence>;

/** What to do, one thing. */
const action = z.discriminatedUnion("do", [
  z.strictObject({
    do: z.literal("open_chart"),
    measure: z.enum(WATCHED_MEASURES),
    from: instant,
    to: instant,
    dimension: part.shape.dimension.nullable(),
    value: z.string().nullable(),
  }),
  z.strictObject({ do: z.literal("limit_key"), keyId }),
  z.strictObject({ do: z.literal("revoke_key"), keyId }),
  z.strictObject({ do: z.literal("extend_key"), keyId }),
  /** Takes away scopes that the key does not need. */
  z.strictObject({ do: z.literal("narrow_key"), keyId }),
  z.strictObject({ do: z.literal("change_plan") }),
  z.strictObject({ do: z.literal("pay_invoice"), invoiceId: z.string() }),
  z.strictObject({ do: z.literal("change_spend_cap") }),
  z.strictObject({ do: z.literal("add_credit") }),
  z.strictObject({ do: z.literal("open_credit") }),
  /** For operators. */
  z.strictObject({ do: z.literal("open_tenant"), tenantId }),
]);
export type InsightAction = z.infer<typeof action>;

export const insight = z.strictObject({
  insightId,
  tenantId,
  kind: z.enum(INSIGHT_KINDS),
  /** One sentence in English, with the figures of the fields. */
  text: z.string(),
  since: instant,
  /** When it was last found. */
  seenAt: instant,
  /** Null as long as it lasts. */
  endedAt: instant.nullable(),
  /** From 0 to 1; 1 for what is counted and not judged; of a change of routes, the share of new ones. */
  confidence: z.number(),
  /** Of anomalies. */
  evidence: evidence.nullable(),
  action,
  dismissedAt: instant.nullable(),
  isUseful: z.boolean().nullable(),
});
export type Insight = z.infer<typeof insight>;

export const insightList = z.strictObject({
  items: z.array(insight).max(INSIGHTS_MAX),
  /** Hours of usage that anomalies can be judged by, and how many it takes. */
  history: z.strictObject({ hours: z.int(), needed: z.literal(HISTORY_HOURS_NEEDED) }),
  /** When usage was last looked at; null before the first time. */
  checkedAt: instant.nullable(),
});
export type InsightList = z.infer<typeof insightList>;

/** What changed over all tenants. */
export const installationInsight = insight.omit({ tenantId: true });
export type InstallationInsight = z.infer<typeof installationInsight>;

export const installationInsightList = insightList.extend({
  items: z.array(installationInsight).max(INSIGHTS_MAX),
});
export type InstallationInsightList = z.infer<typeof installationInsightList>;

const tags = ["Insights"];
const path = "/tenants/{tenantId}/insights";
const installationPath = "/installation/insights";

/** `all` includes what is dismissed or has ended. */
const state = z.enum(["open", "all"]).default("open");
const change = {
  isDismissed: z.boolean().optional(),
  isUseful: z.boolean().nullable().optional(),
};

export const insightsContract = {
  list: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path,
      summary: "List what changed and what needs attention, newest first",
      tags,
    })
    .input(z.strictObject({ tenantId, state }))
    .output(insightList),
  refresh: operation({ scope: "alerts:write" })
    .route({
      method: "POST",
      path: `${path}/refresh`,
      summary: "Look for insights now, instead of within the hour",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(insightList),
  update: operation({ scope: "alerts:write" })
    .route({
      method: "PATCH",
      path: `${path}/{insightId}`,
      summary: "Dismiss an insight, or say whether it was useful",
      tags,
    })
    .input(z.strictObject({ tenantId, insightId, ...change }))
    .output(insight),
};

export const allInsightsContract = {
  list: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: "/insights",
      summary: "List the open insights of all tenants, newest first",
      tags,
    })
    .input(z.strictObject({ ...pageQuery }))
    .output(pageOf(insight)),
};

/** Insights of all tenants together, such as a route that fails for everyone: for operators. */
export const installationInsightsContract = {
  list: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: installationPath,
      summary: "List what changed over all tenants together, newest first",
      tags,
    })
    .input(z.strictObject({ state }))
    .output(installationInsightList),
  refresh: operation({ scope: "alerts:write" })
    .route({
      method: "POST",
      path: `${installationPath}/refresh`,
      summary: "Look for insights over all tenants now, instead of within the hour",
      tags,
    })
    .input(z.strictObject({}))
    .output(installationInsightList),
  update: operation({ scope: "alerts:write" })
    .route({
      method: "PATCH",
      path: `${installationPath}/{insightId}`,
      summary: "Dismiss an insight over all tenants, or say whether it was useful",
      tags,
    })
    .input(z.strictObject({ insightId, ...change }))
    .output(installationInsight),
};
