import { ROLES } from "@turnpike/domain/access/scopes";
import { ALERT_NOTICES } from "@turnpike/domain/alerts/advance-alert";
import {
  ALERT_PHASES,
  ALERT_WINDOW_MINUTES,
  CHANGE_DIRECTIONS,
} from "@turnpike/domain/alerts/alert-rule";
import { QUOTA_THRESHOLDS_MAX } from "@turnpike/domain/alerts/quota-threshold";
import { isId, type TenantId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayText, instant, pageOf, pageQuery, plainText, tenantId } from "./shapes.ts";
import { type UsageQuestion, usageQuery } from "./usage.ts";

/** Alerts that one tenant has at the most: each is a question about usage, asked again and again. */
export const ALERTS_MAX = 20;
/** How long what happened to alerts is kept, in days. */
export const ALERT_HISTORY_DAYS = 90;

/** What a question holds beside filters: an alert decides these by itself. */
const NOT_FILTERS = [
  "tenantId",
  "measures",
  "dimensions",
  "from",
  "to",
  "grain",
  "timeZone",
  "order",
  "limit",
  "compare",
];
const FILTER_NAMES = Object.keys(usageQuery.shape).filter((name) => !NOT_FILTERS.includes(name));

export const alertId = z
  .string()
  .refine((value) => isId("alert", value), {
    error: "Not the id of an alert; it looks like alt_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["alt_0199f3b0c1d27a4e8f60112233445566"] });

/** Names of filters with their values, as `GET /v1/tenants/{tenantId}/usage` takes them. */
const alertFilters = z.record(z.string().max(60), plainText(10_000)).default({});

/** Whoever asks: what is allowed does not depend on it. */
const NOBODY = "ten_00000000000000000000000000000000";

/**
 * The question about usage that an alert asks of one window.
 *
 * @throws {z.ZodError} Where it is none: vocabularies are those of questions about usage.
 */
export function toAlertUsageQuery(
  query: AlertQuery,
  window: { tenantId: string; from: string; to: string; compare?: "previous" },
): UsageQuestion & { tenantId: TenantId } {
  return usageQuery.parse({ ...query.filters, measures: query.measure, ...window });
}

export const alertQuery = z
  .strictObject({
    /** One measure of usage, such as `requests`, `error_rate`, `latency_p95` or `meter:tokens`. */
    measure: plainText(100).min(1, "Required."),
    filters: alertFilters,
  })
  .superRefine(({ measure, filters }, context) => {
    for (const name of Object.keys(filters)) {
      if (!FILTER_NAMES.includes(name)) {
        const message = `Not a filter: one of ${FILTER_NAMES.join(", ")}.`;
        context.addIssue({ code: "custom", path: ["filters", name], message });
      }
    }
    const known = Object.entries(filters).filter(([name]) => FILTER_NAMES.includes(name));
    const parsed = usageQuery.safeParse({
      ...Object.fromEntries(known),
      measures: measure,
      tenantId: NOBODY,
    });
    if (parsed.success && parsed.data.measures.length > 1) {
      context.addIssue({ code: "custom", path: ["measure"], message: "Only one measure." });
    }
    for (const issue of parsed.error?.issues ?? []) {
      const [name = ""] = issue.path;
      const isFilter = FILTER_NAMES.includes(String(name));
      context.addIssue({
        code: "custom",
        path: isFilter ? ["filters", String(name)] : ["measure"],
        message: issue.message,
      });
    }
  });
export type AlertQuery = z.output<typeof alertQuery>;

/** Far more than is counted in a day, and exact as a number. */
const VALUE_MAX = 1e15;
const PERCENT_MAX = 1_000_000;
const value = z.number().min(0, "Not negative.").max(VALUE_MAX);
const percent = z.number().min(0, "Not negative.").max(PERCENT_MAX);

/** `clear` is where it recovers; left out, at the threshold. */
export const alertCondition = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("above"), threshold: value, clear: value.optional() }),
    z.strictObject({ kind: z.literal("below"), threshold: value, clear: value.optional() }),
    /** In percent, against the window of equal length before. */
    z.strictObject({
      kind: z.literal("change"),
      direction: z.enum(CHANGE_DIRECTIONS),
      threshold: percent,
      clear: percent.optional(),
    }),
    z.strictObject({ kind: z.literal("no_data") }),
  ])
  .superRefine((condition, context) => {
    if (condition.kind === "no_data" || condition.clear === undefined) {
      return;
    }
    const { kind, threshold, clear } = condition;
    if (kind === "below" ? clear < threshold : clear > threshold) {
      const message = kind === "below" ? "Not below the threshold." : "Not above the threshold.";
      context.addIssue({ code: "custom", path: ["clear"], message });
    }
  });
export type AlertConditionInput = z.infer<typeof alertCondition>;

const mailRoles = z
  .array(z.enum(ROLES))
  .max(ROLES.length)
  .meta({ description: "Members with one of these roles get mail, at verified addresses." });

const ruleFields = {
  query: alertQuery,
  /** Length of the window that is looked at. */
  windowMinutes: z.literal(ALERT_WINDOW_MINUTES, {
    error: `One of ${ALERT_WINDOW_MINUTES.join(", ")}.`,
  }),
  condition: alertCondition,
  /** So many evaluations in a row decide that it fires, or has recovered. */
  forEvaluations: z.int().min(1, "At least 1.").max(60, "At most 60.").default(1),
  /** After so long a firing alert is told again; null: once. */
  renotifyMinutes: z
    .int()
    .min(5, "At least 5.")
    .max(10_080, "At most 10080.")
    .nullable()
    .default(60),
};
const toldFields = {
  name: displayText(100),
  mailRoles: mailRoles.default(["owner", "admin"]),
};

export const alert = z.strictObject({
  alertId,
  tenantId,
  name: z.string(),
  query: z.strictObject({ measure: z.string(), filters: z.record(z.string(), z.string()) }),
  windowMinutes: z.int(),
  condition: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("above"), threshold: z.number(), clear: z.number() }),
    z.strictObject({ kind: z.literal("below"), threshold: z.number(), clear: z.number() }),
    z.strictObject({
      kind: z.literal("change"),
      direction: z.enum(CHANGE_DIRECTIONS),
      threshold: z.number(),
      clear: z.number(),
    }),
    z.strictObject({ kind: z.literal("no_data") }),
  ]),
  forEvaluations: z.int(),
  renotifyMinutes: z.int().nullable(),
  mailRoles: z.array(z.enum(ROLES)),
  phase: z.enum(ALERT_PHASES),
  /** End of the window in which the phase began; null before the first evaluation. */
  phaseSince: instant.nullable(),
  /** While it is paused it is not evaluated. */
  isPaused: z.boolean(),
  /** When it goes on by itself; null: when somebody resumes it, or it is not paused. */
  pausedUntil: instant.nullable(),
  /** What the last window gave; null where there was nothing to measure. */
  lastValue: z.number().nullable(),
  /** Of the window before it; for changes alone. */
  lastPrevious: z.number().nullable(),
  /** End of the last window that was looked at. */
  evaluatedTo: instant.nullable(),
  /** Why it could not be evaluated the last time. */
  lastError: z.string().nullable(),
  createdAt: instant,
  updatedAt: instant,
});
export type Alert = z.infer<typeof alert>;

/** What happens to an alert: what is told, and what is done to it. */
export const ALERT_HAPPENINGS = [
  ...ALERT_NOTICES,
  "failed",
  "paused",
  "resumed",
  "changed",
  "tested",
] as const;

export const alertEvent = z.strictObject({
  happeningId: z.string(),
  at: instant,
  what: z.enum(ALERT_HAPPENINGS),
  /** Of the window that decided; null otherwise, and where there was nothing to measure. */
  value: z.number().nullable(),
  /** What else there is to say, for people. */
  note: z.string(),
});
export type AlertEvent = z.infer<typeof alertEvent>;

const previewPoint = z.strictObject({
  /** End of the window. */
  at: instant,
  value: z.number().nullable(),
  phase: z.enum(ALERT_PHASES),
});
/** Windows of a preview at the most. */
export const PREVIEW_POINTS_MAX = 300;

export const alertPreview = z.strictObject({
  from: instant,
  to: instant,
  /** How far the windows are apart that it looked at. */
  everyMinutes: z.int(),
  points: z.array(previewPoint).max(PREVIEW_POINTS_MAX),
  /** What would have been told. */
  notices: z
    .array(
      z.strictObject({ at: instant, notice: z.enum(ALERT_NOTICES), value: z.number().nullable() }),
    )
    .max(PREVIEW_POINTS_MAX),
});
export type AlertPreview = z.infer<typeof alertPreview>;

export const createAlertRequest = z.strictObject({ tenantId, ...toldFields, ...ruleFields });
export type CreateAlertRequest = z.output<typeof createAlertRequest>;

export const updateAlertRequest = z.strictObject({
  tenantId,
  alertId,
  name: toldFields.name.optional(),
  mailRoles: mailRoles.optional(),
  query: alertQuery.optional(),
  windowMinutes: ruleFields.windowMinutes.optional(),
  condition: alertCondition.optional(),
  forEvaluations: z.int().min(1, "At least 1.").max(60, "At most 60.").optional(),
  renotifyMinutes: z
    .int()
    .min(5, "At least 5.")
    .max(10_080, "At most 10080.")
    .nullable()
    .optional(),
});
export type UpdateAlertRequest = z.output<typeof updateAlertRequest>;

export const previewAlertRequest = z.strictObject({ tenantId, ...ruleFields });
export type PreviewAlertRequest = z.output<typeof previewAlertRequest>;

const threshold = z.int().min(1, "From 1 to 100.").max(100, "From 1 to 100.");

export const quotaAlerts = z.strictObject({
  /** Percent of each quota, ascending; empty: nothing is told. */
  thresholds: z.array(z.int()),
  mailRoles: z.array(z.enum(ROLES)),
});
export type QuotaAlerts = z.infer<typeof quotaAlerts>;

const path = "/tenants/{tenantId}/alerts";
const tags = ["Alerts"];
const one = z.strictObject({ tenantId, alertId });

export const alertsContract = {
  create: operation({ scope: "alerts:write" })
    .route({ method: "POST", path, successStatus: 201, summary: "Add an alert", tags })
    .input(createAlertRequest)
    .output(alert),
  list: operation({ scope: "alerts:read" })
    .route({ method: "GET", path, summary: "List alerts, newest first", tags })
    .input(z.strictObject({ tenantId }))
    .output(z.strictObject({ items: z.array(alert).max(ALERTS_MAX) })),
  get: operation({ scope: "alerts:read" })
    .route({ method: "GET", path: `${path}/{alertId}`, summary: "Get an alert", tags })
    .input(one)
    .output(alert),
  update: operation({ scope: "alerts:write" })
    .route({
      method: "PATCH",
      path: `${path}/{alertId}`,
      summary: "Change an alert; with another rule it begins anew",
      tags,
    })
    .input(updateAlertRequest)
    .output(alert),
  pause: operation({ scope: "alerts:write" })
    .route({
      method: "POST",
      path: `${path}/{alertId}/pause`,
      summary: "Pause an alert, until an instant or until it is resumed",
      tags,
    })
    .input(z.strictObject({ tenantId, alertId, until: instant.optional() }))
    .output(alert),
  resume: operation({ scope: "alerts:write" })
    .route({ method: "POST", path: `${path}/{alertId}/resume`, summary: "Resume an alert", tags })
    .input(one)
    .output(alert),
  delete: operation({ scope: "alerts:write" })
    .route({
      method: "DELETE",
      path: `${path}/{alertId}`,
      successStatus: 204,
      summary: "Delete an alert with its history",
      tags,
    })
    .input(one)
    .output(z.void()),
  test: operation({ scope: "alerts:write" })
    .route({
      method: "POST",
      path: `${path}/{alertId}/test`,
      summary: "Tell as the alert would, marked as a test",
      tags,
    })
    .input(one)
    .output(alert),
  history: operation({ scope: "alerts:read" })
    .route({
      method: "GET",
      path: `${path}/{alertId}/history`,
      summary: "What happened to an alert, newest first",
      tags,
    })
    .input(z.strictObject({ tenantId, alertId, ...pageQuery }))
    .output(pageOf(alertEvent)),
  preview: operation({ scope: "alerts:read" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/alert-preview",
      summary: "What a rule would have told of the last days",
      tags,
    })
    .input(previewAlertRequest)
    .output(alertPreview),
  getQuotaAlerts: operation({ scope: "alerts:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/quota-alerts",
      summary: "Which shares of quotas are told of, and to whom",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(quotaAlerts),
  setQuotaAlerts: operation({ scope: "alerts:write" })
    .route({
      method: "PUT",
      path: "/tenants/{tenantId}/quota-alerts",
      summary: "Choose which shares of quotas are told of, and to whom",
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        thresholds: z.array(threshold).max(QUOTA_THRESHOLDS_MAX),
        mailRoles,
      }),
    )
    .output(quotaAlerts),
};
