import { t } from "@lingui/core/macro";
import { inSentence } from "@turnpike/ui/language";
import { listPending } from "#components/billing/subscription.view-model.ts";
import type { Subscription } from "#platform/billing-queries.ts";
import { formatCount, formatDayUtc, formatShare } from "#platform/format.ts";
import { findMeterName } from "#platform/name-meter.ts";
import { type Limits, type Meter, TIGHT_SHARE } from "#platform/shared-queries.ts";

/** Something that a person should look at. */
export type Attention = {
  key: string;
  tone: "warning" | "danger";
  title: string;
  detail: string;
  /** Where it can be dealt with. */
  to: "/analytics" | "/alerts" | "/billings" | "/api-keys" | "/plans" | "/tenants" | "/webhooks";
  /** The one key that it is about. */
  keyId?: string;
};

type Alert = { alertId: string; name: string; phase: string };
type Webhook = { webhookId: string; url: string; state: string };
type EndingKey = {
  keyId: string;
  name: string;
  expiresAt: string | null;
  rolledToKeyId: string | null;
};

/** A key that ends sooner than this is worth a word, in milliseconds. */
export const EXPIRES_SOON_MS = 14 * 86_400_000;
/** Keys that end soon and are named; of more than these it is said how many there are. */
const ENDING_NAMED_MAX = 3;

/**
 * Lists what needs attention, the most urgent first: a suspended tenant, no credit, quotas that are used up or nearly, alerts that fire, many
 * calls that were denied, no key that works, webhooks that are off, keys that end soon, a plan that changes or ends.
 *
 * @param input.subscription - Undefined while it is not known.
 * @param input.lastDay - Calls of the last 24 hours; undefined while they are not known.
 * @param input.keys - The tenant's newest; `hasMoreKeys` when there are others.
 * @param input.endingKeys - Those that work and end within {@link EXPIRES_SOON_MS}; `hasMoreEndingKeys` when there are others.
 */
export function toAttention(input: {
  suspendedAt: string | null;
  subscription: Pick<Subscription, "standing" | "planName" | "pending"> | undefined;
  limits: Pick<Limits, "quotas"> | undefined;
  meters: readonly Meter[];
  keys: readonly { state: string }[];
  hasMoreKeys: boolean;
  endingKeys: readonly EndingKey[];
  hasMoreEndingKeys: boolean;
  lastDay: { requests: number; denied: number } | undefined;
  alerts: readonly Alert[];
  webhooks: readonly Webhook[];
}): readonly Attention[] {
  const { suspendedAt, limits, meters, keys } = input;
  const areAllRevoked =
    keys.length > 0 && !input.hasMoreKeys && keys.every(({ state }) => state === "revoked");
  return [
    ...(suspendedAt === null ? [] : [SUSPENDED]),
    ...(input.subscription?.standing === "out_of_credit" ? [OUT_OF_CREDIT] : []),
    ...(areAllRevoked ? [ALL_REVOKED] : []),
    ...(limits?.quotas ?? []).flatMap((quota) => toQuotaAttention(quota, meters)),
    ...input.alerts.filter(({ phase }) => phase === "firing").map(toAlertAttention),
    ...toDeniedAttention(input.lastDay),
    ...input.webhooks.flatMap(toWebhookAttention),
    ...toKeysAttention(input.endingKeys, input.hasMoreEndingKeys),
    ...toPlanAttention(input.subscription),
  ].sort((a, b) => Number(b.tone === "danger") - Number(a.tone === "danger"));
}

const SUSPENDED: Attention = {
  key: "suspended",
  tone: "danger",
  title: t`This tenant is suspended`,
  detail: t`All calls are blocked until the suspension is lifted.`,
  to: "/tenants",
};

function toPlanAttention(
  subscription: Pick<Subscription, "planName" | "pending"> | undefined,
): Attention[] {
  const pending = subscription === undefined ? [] : listPending(subscription);
  return subscription === undefined || pending.length === 0
    ? []
    : [
        {
          key: "plan",
          tone: "warning",
          title: t`A change of the plan ${subscription.planName} is coming`,
          detail: pending.join(" "),
          to: "/plans",
        },
      ];
}

const OUT_OF_CREDIT: Attention = {
  key: t`out of credit`,
  tone: "danger",
  title: t`The credit is used up`,
  detail: t`Calls that it does not pay for are denied until credit is added.`,
  to: "/billings",
};

const ALL_REVOKED: Attention = {
  key: t`all revoked`,
  tone: "danger",
  title: t`All keys are revoked`,
  detail: t`All calls are denied until you create a new key.`,
  to: "/api-keys",
};

/** A larger part of calls that were denied in a day is worth a word. */
const DENIED_SHARE_MAX = 0.2;

function toDeniedAttention(lastDay: { requests: number; denied: number } | undefined): Attention[] {
  if (lastDay === undefined || lastDay.denied <= lastDay.requests * DENIED_SHARE_MAX) {
    return [];
  }
  const { requests, denied } = lastDay;
  return [
    {
      key: "denied",
      tone: "warning",
      title: t`${formatShare(denied / requests)} of the last day’s calls were denied`,
      detail: t`${formatCount(denied)} of ${formatCount(requests)}. Analytics shows why, and with which keys.`,
      to: "/analytics",
    },
  ];
}

function toAlertAttention({ alertId, name }: Alert): Attention {
  return {
    key: alertId,
    tone: "warning",
    title: t`The alert ${name} is firing`,
    detail: t`Open it to see what it measured and since when.`,
    to: "/alerts",
  };
}

function toWebhookAttention({ webhookId, url, state }: Webhook): Attention[] {
  if (state === "enabled") {
    return [];
  }
  const isOurs = state === "auto_disabled";
  return [
    {
      key: webhookId,
      tone: "warning",
      title: t`The webhook to ${URL.parse(url)?.host ?? url} is disabled`,
      detail: isOurs
        ? t`It kept failing. Nothing is sent to it until it is enabled again.`
        : t`Nothing is sent to it until it is enabled again.`,
      to: "/webhooks",
    },
  ];
}

/** What a used-up quota means for calls or events. Events report what has happened, so they are never refused. */
function toBeyond(kind: "hard" | "soft", countsEvents: boolean, day: string): string {
  const counted = countsEvents ? t`Events` : t`Calls`;
  if (kind === "soft") {
    return t`Overage is allowed: ${inSentence(counted)} continue and are counted. A new period begins on ${day}.`;
  }
  return countsEvents
    ? t`Events are still counted; calls verified against it are denied until ${day}.`
    : t`Calls are denied until ${day}.`;
}

function toQuotaAttention(quota: Limits["quotas"][number], meters: readonly Meter[]): Attention[] {
  const meter = meters.find(({ meterId }) => meterId === quota.meter);
  const name = findMeterName(meters, quota.meter) ?? quota.meter;
  const day = formatDayUtc(quota.resetAt);
  const used = Number(quota.used);
  const share = quota.limit === 0 ? 1 : used / quota.limit;
  if (quota.environment === "test" || share < TIGHT_SHARE || used === 0) {
    return [];
  }
  const isUp = Number(quota.remaining) === 0;
  return [
    {
      key: t`quota ${quota.meter}`,
      tone: isUp && quota.kind === "hard" ? "danger" : "warning",
      title: isUp
        ? t`The quota of ${name} is used up`
        : t`${formatShare(share)} of the quota of ${name} is used`,
      detail: isUp
        ? toBeyond(quota.kind, meter?.eventType !== undefined, day)
        : t`${formatCount(quota.remaining)} left until ${day}.`,
      to: "/plans",
    },
  ];
}

/** A rolled key is meant to expire, so it is left out; a notice warns about its remaining use. */
function toKeysAttention(ending: readonly EndingKey[], hasMore: boolean): Attention[] {
  const keys = ending.filter(({ rolledToKeyId }) => rolledToKeyId === null);
  if (keys.length > ENDING_NAMED_MAX) {
    const count = hasMore ? t`More than ${formatCount(keys.length)}` : formatCount(keys.length);
    return [
      {
        key: t`ending keys`,
        tone: "warning",
        title: t`${count} keys expire within two weeks`,
        detail: t`Select them in the list of keys and extend their expiry.`,
        to: "/api-keys",
      },
    ];
  }
  return keys
    .toSorted((a, b) => Date.parse(a.expiresAt ?? "") - Date.parse(b.expiresAt ?? ""))
    .flatMap(toKeyAttention);
}

function toKeyAttention({ keyId, name, expiresAt }: EndingKey): Attention[] {
  if (expiresAt === null) {
    return [];
  }
  return [
    {
      key: keyId,
      tone: "warning",
      title: t`${name} expires on ${formatDayUtc(expiresAt)}`,
      detail: t`Extend its expiry or create a new key: a rolled key keeps its expiry.`,
      to: "/api-keys",
      keyId,
    },
  ];
}
