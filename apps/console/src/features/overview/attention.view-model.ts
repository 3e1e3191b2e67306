import { formatCount, formatDayUtc, formatShare } from "#platform/format.ts";
import { type Limits, TIGHT_SHARE } from "#platform/shared-queries.ts";

/** Something that a person should look at. */
export type Attention = {
  key: string;
  tone: "warning" | "danger";
  title: string;
  detail: string;
  /** Where it can be dealt with. */
  to: "/api-keys" | "/plans" | "/tenants";
};

type Key = { keyId: string; name: string; state: string; expiresAt: string | null };

/** A key that ends sooner than this is worth a word, in milliseconds. */
const EXPIRES_SOON_MS = 14 * 86_400_000;

/**
 * Lists what needs attention, the most urgent first: a suspended tenant, quotas that are used up or nearly, keys that end
 * soon.
 *
 * @param nowMs - Epoch milliseconds.
 */
export function toAttention(input: {
  suspendedAt: string | null;
  limits: Limits | undefined;
  keys: readonly Key[];
  nowMs: number;
}): readonly Attention[] {
  const { suspendedAt, limits, keys, nowMs } = input;
  return [
    ...(suspendedAt === null ? [] : [SUSPENDED]),
    ...(limits?.quotas ?? []).flatMap((quota) => toQuotaAttention(quota)),
    ...keys.flatMap((key) => toKeyAttention(key, nowMs)),
  ].sort((a, b) => Number(b.tone === "danger") - Number(a.tone === "danger"));
}

const SUSPENDED: Attention = {
  key: "suspended",
  tone: "danger",
  title: "This tenant is suspended",
  detail: "Every call is refused until the operator takes it back.",
  to: "/tenants",
};

function toQuotaAttention(quota: Limits["quotas"][number]): Attention[] {
  const used = Number(quota.used);
  const share = quota.limit === 0 ? 1 : used / quota.limit;
  if (quota.environment === "test" || share < TIGHT_SHARE || used === 0) {
    return [];
  }
  const isUp = Number(quota.remaining) === 0;
  const refused = quota.kind === "hard" ? "Calls are refused" : "Calls go on";
  return [
    {
      key: `quota ${quota.meter}`,
      tone: isUp ? "danger" : "warning",
      title: isUp
        ? `The quota of ${quota.meter} is used up`
        : `${formatShare(share)} of ${quota.meter} is used`,
      detail: isUp
        ? `${refused} until ${formatDayUtc(quota.resetAt)}.`
        : `${formatCount(quota.remaining)} are left until ${formatDayUtc(quota.resetAt)}.`,
      to: "/plans",
    },
  ];
}

function toKeyAttention(key: Key, nowMs: number): Attention[] {
  if (key.state !== "active" || key.expiresAt === null) {
    return [];
  }
  if (Date.parse(key.expiresAt) - nowMs > EXPIRES_SOON_MS) {
    return [];
  }
  return [
    {
      key: key.keyId,
      tone: "warning",
      title: `${key.name} expires on ${formatDayUtc(key.expiresAt)}`,
      detail: "Roll it in time: its successor works at once, beside it.",
      to: "/api-keys",
    },
  ];
}
