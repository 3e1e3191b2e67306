import { isId } from "@turnpike/domain/ids/ids";
import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { ALL_EVENTS, WEBHOOK_EVENT_TYPES } from "@turnpike/domain/webhooks/event-types";
import { z } from "zod";
import { alert } from "./alerts.ts";
import { EXHAUSTION_KINDS } from "./forecasts.ts";
import { insight } from "./insights.ts";
import { creditNote, invoiceSummary } from "./invoices.ts";
import { key } from "./keys.ts";
import { operation } from "./operation.ts";
import {
  displayNote,
  instant,
  keyId,
  pageOf,
  pageQuery,
  plainText,
  roleName,
  tenantId,
  userId,
} from "./shapes.ts";
import { SUBSCRIPTION_LIVES } from "./subscriptions.ts";
import { tenant } from "./tenants.ts";

const keyReference = {
  tenantId,
  keyId,
  name: z.string(),
  start: z.string(),
  lastFour: z.string(),
};
const ofKey = z.strictObject({ key });
const ofTenant = z.strictObject({
  tenant: tenant.omit({ role: true, customRole: true, logoId: true }),
});
const role = roleName;
/** The notice as shown in the console and in mails; several lines. For channels that show messages. */
const text = z.string();
const ofAlert = {
  alert,
  text,
  /** The value of the window that decided; null where there was nothing to measure. */
  value: z.number().nullable(),
  /** The value of the window before it. Only for changes. */
  previous: z.number().nullable(),
  windowFrom: instant,
  windowTo: instant,
};
const ofInvoice = z.strictObject({ invoice: invoiceSummary });
const ofInsight = z.strictObject({ insight, text });
const ofInvitation = z.strictObject({
  tenantId,
  invitationId: z.string(),
  email: z.string(),
  role,
});

/** The events, by type, with the shape of `data`. Fields are added, never removed. */
export const WEBHOOK_EVENTS = {
  /** Sent by the test button only, to any endpoint. */
  ping: z.strictObject({ webhookId: z.string() }),
  "key.created": ofKey,
  "key.updated": ofKey,
  "key.disabled": ofKey,
  "key.enabled": ofKey,
  "key.revoked": ofKey,
  /** `key` works for the grace period or is revoked; `successor` replaces it. */
  "key.rolled": z.strictObject({ key, successor: key }),
  "key.expiring": z.strictObject({
    ...keyReference,
    expiresAt: instant,
    daysLeft: z.number().int(),
  }),
  "key.leaked": z.strictObject({
    tenantId,
    keyId,
    /** Kind and address of the location, as reported. */
    source: z.string(),
    place: z.string(),
    /** True if the report revoked the key. */
    revoked: z.boolean(),
  }),
  "keys.imported": z.strictObject({
    tenantId,
    imported: z.number().int(),
    existing: z.number().int(),
    refused: z.number().int(),
  }),
  "tenant.created": ofTenant,
  "tenant.updated": ofTenant,
  "tenant.plan_changed": z.strictObject({
    ...ofTenant.shape,
    before: z.strictObject({ planId: z.string(), planVersion: z.number().int() }),
  }),
  "tenant.suspended": ofTenant,
  "tenant.resumed": ofTenant,
  "tenant.deleted": ofTenant,
  "tenant.restored": ofTenant,
  "member.added": z.strictObject({ tenantId, userId, role }),
  "member.role_changed": z.strictObject({ tenantId, userId, role, before: role }),
  "member.removed": z.strictObject({ tenantId, userId, before: role }),
  "invitation.created": ofInvitation,
  "invitation.accepted": z.strictObject({ tenantId, invitationId: z.string(), userId, role }),
  "invitation.revoked": ofInvitation,
  "alert.firing": z.strictObject({
    ...ofAlert,
    /** True if the alert was already firing and this is a reminder. */
    isReminder: z.boolean(),
    /** True for a test notice. */
    isTest: z.boolean(),
  }),
  "alert.recovered": z.strictObject(ofAlert),
  "quota.threshold_reached": z.strictObject({
    tenantId,
    meter: z.string(),
    environment: z.enum(ENVIRONMENTS),
    kind: z.enum(["hard", "soft"]),
    /** Percent of the limit. */
    threshold: z.int(),
    /** Units of the meter in the period, an exact decimal. */
    used: z.string(),
    /** Of a hard quota: blocked after a crash until the period ends. Counts towards the threshold. */
    forfeited: z.string(),
    limit: z.number(),
    periodStart: instant,
    resetAt: instant,
    text,
  }),
  "spend_cap.threshold_reached": z.strictObject({
    tenantId,
    /** Percent of the cap; 100 when no further unit of some meter fits. */
    threshold: z.int(),
    /** Charges of the period so far, and the cap, in major units. */
    spent: z.string(),
    cap: z.string(),
    currency: z.string(),
    periodStart: instant,
    resetAt: instant,
    text,
  }),
  "credit.threshold_reached": z.strictObject({
    tenantId,
    /** Percent that is left since credit was added last, 0 when calls of some meter are refused; null at the sum that was set. */
    threshold: z.int().nullable(),
    /** What is left, in major units. */
    left: z.string(),
    currency: z.string(),
    text,
  }),
  "forecast.runs_out": z.strictObject({
    tenantId,
    kind: z.enum(EXHAUSTION_KINDS),
    /** Of a quota. */
    meter: z.string().nullable(),
    /** What is counted: the unit of the meter, or a currency. */
    unit: z.string(),
    limit: z.string(),
    used: z.string(),
    left: z.string(),
    /** When it most likely runs out, and the dates that hold it with 80 per cent. */
    at: instant,
    earliest80: instant.nullable(),
    latest80: instant.nullable(),
    /** Null for credit. */
    resetsAt: instant.nullable(),
    text,
  }),
  /** What was asked for, or time, changed it. Of the sandbox too, like the events of invoices: `environment` tells. */
  "subscription.changed": z.strictObject({
    subscription: z.strictObject({
      tenantId,
      environment: z.enum(ENVIRONMENTS),
      life: z.enum(SUBSCRIPTION_LIVES),
      planId: z.string(),
      planVersion: z.number().int(),
      periodFrom: instant,
      periodTo: instant,
    }),
  }),
  "invoice.issued": ofInvoice,
  /** Nothing is due on it any more: it was paid, credited, or issued for nothing. */
  "invoice.paid": ofInvoice,
  "invoice.voided": ofInvoice,
  "credit_note.issued": z.strictObject({
    tenantId,
    environment: z.enum(ENVIRONMENTS),
    creditNote,
  }),
  "insight.opened": ofInsight,
  "insight.ended": ofInsight,
} as const satisfies Record<(typeof WEBHOOK_EVENT_TYPES)[number] | "ping", z.ZodType>;

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;
export type WebhookEventData<Type extends WebhookEventType> = z.infer<
  (typeof WEBHOOK_EVENTS)[Type]
>;

/** What an endpoint subscribes to: types, or `*` for all present and future ones. */
export const WEBHOOK_SUBSCRIPTIONS: readonly string[] = [ALL_EVENTS, ...WEBHOOK_EVENT_TYPES];

/** `paused`: the person responsible may no longer write webhooks. */
export const WEBHOOK_STATES = ["enabled", "disabled", "auto_disabled", "paused"] as const;
export const DELIVERY_STATES = ["pending", "succeeded", "failed"] as const;
/** The most endpoints of one tenant: every event is sent to each. */
export const WEBHOOKS_MAX = 10;
/** How long a replaced secret still signs beside the new one: not at all, an hour, a day, a week. */
export const SECRET_GRACE_SECONDS = [0, 3_600, 86_400, 604_800] as const;
/** The most deliveries that one replay starts over. */
export const REPLAY_MAX = 1_000;
/** How long deliveries are kept. */
export const DELIVERY_DAYS = 30;

function idOf(kind: "webhook" | "message", example: string) {
  return z
    .string()
    .refine((value) => isId(kind, value), {
      error: `Not an id of this kind; it looks like ${example}.`,
    })
    .meta({ examples: [example] });
}
export const webhookId = idOf("webhook", "whk_0199f3b0c1d27a4e8f60112233445566");
export const messageId = idOf("message", "msg_0199f3b0c1d27a4e8f60112233445566");

const eventTypes = z
  .array(
    z
      .string()
      .refine((type) => WEBHOOK_SUBSCRIPTIONS.includes(type), {
        error: `One of ${WEBHOOK_SUBSCRIPTIONS.join(", ")}.`,
      })
      .meta({ enum: WEBHOOK_SUBSCRIPTIONS }),
  )
  .min(1, "At least one.")
  .max(WEBHOOK_SUBSCRIPTIONS.length);
const url = plainText(2_000)
  .min(1, "Required.")
  .meta({ examples: ["https://example.com/webhooks"] });
/** For people. May be empty. */
const description = displayNote(200);

export const webhook = z.strictObject({
  webhookId,
  url: z.string(),
  description: z.string(),
  eventTypes: z.array(z.string()),
  state: z.enum(WEBHOOK_STATES),
  /** Why the endpoint was disabled automatically or paused. */
  disabledReason: z.string().nullable(),
  /** The actor who added the endpoint or enabled it last, by type and id, such as `user:usr_…`. Null if unknown. */
  responsible: z.string().nullable(),
  /** When deliveries began to fail. Null if the last attempt succeeded. */
  failingSince: instant.nullable(),
  /** Until when an earlier secret still signs as well. */
  previousSecretUntil: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
});
export type Webhook = z.infer<typeof webhook>;

/** The only answer that holds the secret, `whsec_…`. It is stored encrypted and cannot be shown again. */
export const webhookWithSecret = z.strictObject({ ...webhook.shape, secret: z.string() });
export type WebhookWithSecret = z.infer<typeof webhookWithSecret>;

const createWebhookFields = {
  url,
  description: description.default(""),
  eventTypes: eventTypes.default(["*"]),
};
export const createWebhookRequest = z.strictObject(createWebhookFields);
export type CreateWebhookRequest = z.infer<typeof createWebhookRequest>;

const updateWebhookFields = {
  url: url.optional(),
  description: description.optional(),
  eventTypes: eventTypes.optional(),
  /** Enabling resets the failure history and makes the caller responsible. Deliveries that are waiting when an endpoint is disabled count as failed. */
  enabled: z.boolean().optional(),
};
export const updateWebhookRequest = z.strictObject(updateWebhookFields);
export type UpdateWebhookRequest = z.infer<typeof updateWebhookRequest>;

const rotateSecretFields = {
  graceSeconds: z
    .literal(SECRET_GRACE_SECONDS, { error: `One of ${SECRET_GRACE_SECONDS.join(", ")}.` })
    .default(86_400),
};

export const webhookDelivery = z.strictObject({
  /** The `webhook-id` of every attempt. */
  messageId,
  webhookId,
  type: z.string(),
  state: z.enum(DELIVERY_STATES),
  attempts: z.number().int(),
  /** Status of the last attempt; null if there was no answer. */
  lastStatus: z.number().int().nullable(),
  /** Null when there will be no further attempt. */
  nextAttemptAt: instant.nullable(),
  createdAt: instant,
  finishedAt: instant.nullable(),
});
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

export const webhookAttempt = z.strictObject({
  attempt: z.number().int(),
  startedAt: instant,
  durationMs: z.number().int(),
  status: z.number().int().nullable(),
  /** Why there was no answer. */
  error: z.string().nullable(),
  /** The beginning of the answer, at most 1 kB. */
  response: z.string(),
});
export type WebhookAttempt = z.infer<typeof webhookAttempt>;

/** How many attempts of one delivery are shown: the newest. */
export const ATTEMPTS_SHOWN_MAX = 50;

export const webhookDeliveryDetail = z.strictObject({
  ...webhookDelivery.shape,
  /** The body exactly as it is signed and sent. */
  payload: z.string(),
  /** Newest first. */
  attemptLog: z.array(webhookAttempt),
});
export type WebhookDeliveryDetail = z.infer<typeof webhookDeliveryDetail>;

/** The operations on the endpoints of one owner: a tenant, or the installation. */
function operationsOf<Owner extends z.ZodRawShape>(
  path: "/webhooks" | "/tenants/{tenantId}/webhooks",
  owner: Owner,
  tags: string[],
) {
  const one = { ...owner, webhookId };
  const delivery = { ...one, messageId };
  return {
    create: operation({ scope: "webhooks:write" })
      .route({
        method: "POST",
        path,
        successStatus: 201,
        summary: "Add an endpoint; only this answer shows its secret",
        tags,
      })
      .input(z.strictObject({ ...owner, ...createWebhookFields }))
      .output(webhookWithSecret),
    list: operation({ scope: "webhooks:read" })
      .route({ method: "GET", path, summary: "List endpoints, newest first", tags })
      .input(z.strictObject(owner))
      .output(z.strictObject({ items: z.array(webhook) })),
    get: operation({ scope: "webhooks:read" })
      .route({ method: "GET", path: `${path}/{webhookId}`, summary: "Get an endpoint", tags })
      .input(z.strictObject(one))
      .output(webhook),
    update: operation({ scope: "webhooks:write", worksWhenFull: "overdraft" })
      .route({
        method: "PATCH",
        path: `${path}/{webhookId}`,
        summary: "Change an endpoint, disable or enable it",
        tags,
      })
      .input(z.strictObject({ ...one, ...updateWebhookFields }))
      .output(webhook),
    delete: operation({ scope: "webhooks:write" })
      .route({
        method: "DELETE",
        path: `${path}/{webhookId}`,
        successStatus: 204,
        summary: "Delete an endpoint and its deliveries",
        tags,
      })
      .input(z.strictObject(one))
      .output(z.void()),
    rotateSecret: operation({ scope: "webhooks:write" })
      .route({
        method: "POST",
        path: `${path}/{webhookId}/rotate-secret`,
        summary: "Replace the secret; the old one also signs for the grace period",
        tags,
      })
      .input(z.strictObject({ ...one, ...rotateSecretFields }))
      .output(webhookWithSecret),
    test: operation({ scope: "webhooks:write" })
      .route({
        method: "POST",
        path: `${path}/{webhookId}/test`,
        successStatus: 201,
        summary: "Send a ping to an endpoint",
        tags,
      })
      .input(z.strictObject(one))
      .output(webhookDelivery),
    listDeliveries: operation({ scope: "webhooks:read" })
      .route({
        method: "GET",
        path: `${path}/{webhookId}/deliveries`,
        summary: "List deliveries, newest first",
        tags,
      })
      .input(z.strictObject({ ...one, state: z.enum(DELIVERY_STATES).optional(), ...pageQuery }))
      .output(pageOf(webhookDelivery)),
    getDelivery: operation({ scope: "webhooks:read" })
      .route({
        method: "GET",
        path: `${path}/{webhookId}/deliveries/{messageId}`,
        summary: "Get a delivery with its attempts",
        tags,
      })
      .input(z.strictObject(delivery))
      .output(webhookDeliveryDetail),
    resend: operation({ scope: "webhooks:write" })
      .route({
        method: "POST",
        path: `${path}/{webhookId}/deliveries/{messageId}/resend`,
        summary: "Start a delivery over, with the same id",
        tags,
      })
      .input(z.strictObject(delivery))
      .output(webhookDelivery),
    replay: operation({ scope: "webhooks:write" })
      .route({
        method: "POST",
        path: `${path}/{webhookId}/replay`,
        summary:
          "Start over deliveries that failed since a given time, oldest first, at most a thousand",
        tags,
      })
      .input(z.strictObject({ ...one, since: instant }))
      .output(z.strictObject({ replayed: z.number().int() })),
  };
}

/** Endpoints of a tenant receive the events of that tenant. */
export const webhooksContract = operationsOf("/tenants/{tenantId}/webhooks", { tenantId }, [
  "Webhooks",
]);
/** Endpoints of the installation receive the events of every tenant. */
export const operatorWebhooksContract = operationsOf("/webhooks", {}, ["Operator webhooks"]);
