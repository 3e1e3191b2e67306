import { ROLES } from "@turnpike/domain/access/scopes";
import { ALERT_NOTICES } from "@turnpike/domain/alerts/advance-alert";
import {
  ALERT_PHASES,
  ALERT_WINDOW_MINUTES,
  CHANGE_DIRECTIONS,
} from "@turnpike/domain/alerts/alert-rule";
import { QUOTA_THRESHOLDS_MAX } from "@turnpike/domain/alerts/quota-threshold";
import { RUN_OUT_DAYS_MAX } from "@turnpike/domain/alerts/run-out-notice";
import { isId, type TenantId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayName, instant, pageOf, pageQuery, plainText, tenantId } from "./shapes.ts";
import { type UsageQuestion, usageQuery } from "./usage-query.ts";

/** The most alerts of one tenant. Each one repeats a usage query. */
export const ALERTS_MAX = 20;
/** How long the history of an alert is kept, in days. */
export const ALERT_HISTORY_DAYS = 90;

/** Fields of a usage query that are not filters: the alert sets these itself. */
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

/** Any valid tenant id: whether a filter is allowed does not depend on the tenant. */
const ANY_TENANT = "ten_00000000000000000000000000000000";

/**
 * Builds the usage question that an alert asks about one window.
 *
 * @throws {z.ZodError} For a measure or filter that usage questions do not have.
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
      tenantId: ANY_TENANT,
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

/** Far above any daily count, and still exact as a number. */
const VALUE_MAX = 1e15;
const PERCENT_MAX = 1_000_000;
const value = z.number().min(0, "Not negative.").max(VALUE_MAX);
const percent = z.number().min(0, "Not negative.").max(PERCENT_MAX);

/** `clear` is the value at which the alert recovers. Defaults to the threshold. */
export const alertCondition = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("above"), threshold: value, clear: value.optional() }),
    z.strictObject({ kind: z.literal("below"), threshold: value, clear: value.optional() }),
    /** In percent, compared with the window of equal length before. */
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
  .meta({ description: "Members with one of these roles get mail if their address is verified." });

const ruleFields = {
  query: alertQuery,
  /** Length of the evaluated window. */
  windowMinutes: z.literal(ALERT_WINDOW_MINUTES, {
    error: `One of ${ALERT_WINDOW_MINUTES.join(", ")}.`,
  }),
  condition: alertCondition,
  /** How many evaluations in a row it takes to fire or to recover. */
  forEvaluations: z.int().min(1, "At least 1.").max(60, "At most 60.").default(1),
  /** How long after a notice a firing alert sends another; null: it sends only one. */
  renotifyMinutes: z
    .int()
    .min(5, "At least 5.")
    .max(10_080, "At most 10080.")
    .nullable()
    .default(60),
};
const toldFields = {
  name: displayName(100),
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
  /** When the pause ends by itself; null when it lasts until the alert is resumed, or when the alert is not paused. */
  pausedUntil: instant.nullable(),
  /** The value of the last window; null where there was nothing to measure. */
  lastValue: z.number().nullable(),
  /** The value of the window before it. Only for changes. */
  lastPrevious: z.number().nullable(),
  /** End of the last evaluated window. */
  evaluatedTo: instant.nullable(),
  /** Why the last evaluation failed. */
  lastError: z.string().nullable(),
  createdAt: instant,
  updatedAt: instant,
});
export type Alert = z.infer<typeof alert>;

/** The kinds of alert events: notices that were sent, and changes that people made. */
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
  /** The value of the window that decided; null otherwise, and where there was nothing to measure. */
  value: z.number().nullable(),
  /** Anything else worth saying, for people. */
  note: z.string(),
});
export type AlertEvent = z.infer<typeof alertEvent>;

const previewPoint = z.strictObject({
  /** End of the window. */
  at: instant,
  value: z.number().nullable(),
  phase: z.enum(ALERT_PHASES),
});
/** The most windows in a preview. */
export const PREVIEW_POINTS_MAX = 300;

export const alertPreview = z.strictObject({
  from: instant,
  to: instant,
  /** The interval between evaluations in the preview. */
  everyMinutes: z.int(),
  points: z.array(previewPoint).max(PREVIEW_POINTS_MAX),
  /** The notices that the rule would have sent. */
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
  /** Percent of each quota, ascending. Empty: no notices. */
  thresholds: z.array(z.int()),
  mailRoles: z.array(z.enum(ROLES)),
});
export type QuotaAlerts = z.infer<typeof quotaAlerts>;

export const runOutAlerts = z.strictObject({
  /** So many days before the forecast date; null: no notices. */
  days: z.int().nullable(),
  mailRoles: z.array(z.enum(ROLES)),
});
export type RunOutAlerts = z.infer<typeof runOutAlerts>;

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
      summary: "Change an alert; a new rule resets its state",
      tags,
    })
    .input(updateAlertRequest)
    .output(alert),
  pause: operation({ scope: "alerts:write", worksWhenFull: true })
    .route({
      method: "POST",
      path: `${path}/{alertId}/pause`,
      summary: "Pause an alert, until a given time or until it is resumed",
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
      summary: "Send a test notice",
      tags,
    })
    .input(one)
    .output(alert),
  history: operation({ scope: "alerts:read" })
    .route({
      method: "GET",
      path: `${path}/{alertId}/history`,
      summary: "List the history of an alert, newest first",
      tags,
    })
    .input(z.strictObject({ tenantId, alertId, ...pageQuery }))
    .output(pageOf(alertEvent)),
  preview: operation({ scope: "alerts:read", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/alert-preview",
      summary: "Preview which notices a rule would have sent over the last days",
      tags,
    })
    .input(previewAlertRequest)
    .output(alertPreview),
  getQuotaAlerts: operation({ scope: "alerts:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/quota-alerts",
      summary: "Get the quota thresholds that send notices, and the roles that get mail",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(quotaAlerts),
  setQuotaAlerts: operation({ scope: "alerts:write" })
    .route({
      method: "PUT",
      path: "/tenants/{tenantId}/quota-alerts",
      summary: "Set the quota thresholds that send notices, and the roles that get mail",
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
  getRunOutAlerts: operation({ scope: "alerts:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/run-out-alerts",
      summary:
        "Get how long before a quota, the spend cap or credit is forecast to run out notices go out",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(runOutAlerts),
  setRunOutAlerts: operation({ scope: "alerts:write" })
    .route({
      method: "PUT",
      path: "/tenants/{tenantId}/run-out-alerts",
      summary:
        "Set how long before a quota, the spend cap or credit is forecast to run out notices go out",
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        days: z
          .int()
          .min(1, "At least 1.")
          .max(RUN_OUT_DAYS_MAX, `At most ${String(RUN_OUT_DAYS_MAX)}.`)
          .nullable(),
        mailRoles,
      }),
    )
    .output(runOutAlerts),
};
