import { plural, t } from "@lingui/core/macro";
import type { Tone } from "@turnpike/ui/badge";
import { LANGUAGE } from "@turnpike/ui/language";
import type { Key, KeySummary } from "./api-keys.queries.ts";

const DAY_MS = 86_400_000;
/** An expiry closer than this gets a warning. */
const SOON_MS = 7 * DAY_MS;

export type KeyChange = "disable" | "enable" | "revoke";

/** The actions available on a key in its current state. */
export type KeyOffers = Readonly<Record<KeyChange | "edit" | "roll", boolean>>;

/** The actions that the server accepts. A revoked key cannot change; only an active key can be rolled, and only once. */
export function toOffers(key: Key): KeyOffers {
  return {
    edit: key.state !== "revoked",
    roll: key.state === "active" && key.rolledToKeyId === null,
    disable: key.state === "active",
    enable: key.state === "disabled",
    revoke: key.state !== "revoked",
  };
}

/** The expected key after the change. */
export function foresee(key: Key, change: KeyChange, nowMs: number): Key {
  switch (change) {
    case "disable":
      return { ...key, state: "disabled" };
    case "enable":
      return { ...key, state: "active" };
    case "revoke":
      return { ...key, state: "revoked", revokedAt: new Date(nowMs).toISOString() };
    default:
      return change satisfies never;
  }
}

/** The state in a word. A replaced key that still works for its grace period is "Rolled". */
export function toStateBadge(key: Key): { label: string; tone: Tone } {
  switch (key.state) {
    case "active":
      return key.rolledToKeyId === null
        ? { label: t`Active`, tone: "ok" }
        : { label: t`Rolled`, tone: "info" };
    case "disabled":
      return { label: t`Disabled`, tone: "warning" };
    case "expired":
      return { label: t`Expired`, tone: "neutral" };
    case "revoked":
      return { label: t`Revoked`, tone: "neutral" };
    default:
      return key.state satisfies never;
  }
}

/** The characters of a key that are safe to show: "tp_live_ab…x7Qz". */
export function toMaskedKey(key: Pick<Key, "start" | "lastFour">): string {
  return `${key.start}…${key.lastFour}`;
}

/** A shortened id that fits under a name: "key_0199f3b0…5566". */
export function toShortId(keyId: string): string {
  return `${keyId.slice(0, 12)}…${keyId.slice(-4)}`;
}

/** True when a working key will expire soon. */
export function isEndingSoon(key: Key, nowMs: number): boolean {
  return (
    key.expiresAt !== null && key.state === "active" && Date.parse(key.expiresAt) - nowMs < SOON_MS
  );
}

const MAKERS: Readonly<Record<string, string>> = {
  key: t`An API key`,
  service_key: t`The operator’s program`,
  operator: t`The operator`,
  system: t`The system`,
  user: t`A former member`,
};

/** The creator of a key, by `kind:id`: members by name, and people who have left as former members. */
export function toMakerName(createdBy: string, people: ReadonlyMap<string, string>): string {
  const at = createdBy.indexOf(":");
  const kind = at === -1 ? createdBy : createdBy.slice(0, at);
  const id = createdBy.slice(at + 1);
  return people.get(id) ?? MAKERS[kind] ?? createdBy;
}

const COUNT = new Intl.NumberFormat(LANGUAGE);

/**
 * The key's own limits, below those of its tenant: "burst: 100 calls in 60 s", "requests: 5,000 in a billing period", "5 calls at
 * once".
 */
export function toLimitTexts({
  rateLimits,
  quotas,
  concurrency,
}: Pick<Key, "rateLimits" | "quotas" | "concurrency">): string[] {
  return [
    ...rateLimits.map(
      ({ name, limit, windowSeconds }) =>
        t`${name}: ${COUNT.format(limit)} calls in ${COUNT.format(windowSeconds)} s`,
    ),
    ...quotas.map(({ limit, meter }) => t`${meter}: ${COUNT.format(limit)} in a billing period`),
    ...(concurrency === null
      ? []
      : [
          t`${COUNT.format(concurrency)} ${plural(concurrency, { one: "call", other: "calls" })} at once`,
        ]),
  ];
}

/** The recent usage of a key in words, for people who cannot see the chart. */
export function toTrendLabel({ requests, requestsByDay }: KeySummary): string {
  const days = t`${String(requestsByDay.length)} days`;
  return requests === 0
    ? t`No requests in ${days}`
    : t`${COUNT.format(requests)} ${plural(requests, { one: "request", other: "requests" })} in ${days}, ${COUNT.format(requestsByDay.at(-1) ?? 0)} today`;
}

/**
 * When a key was last used; undefined for never. Uses are known to the minute, so the first one could seem to precede the key:
 * the result is never earlier than its creation.
 */
export function findLastUse(
  { createdAt }: Pick<Key, "createdAt">,
  { lastUsedAt }: Pick<KeySummary, "lastUsedAt">,
): string | undefined {
  if (lastUsedAt === null) {
    return;
  }
  return Date.parse(lastUsedAt) < Date.parse(createdAt) ? createdAt : lastUsedAt;
}

/** What ending a key would stop, as a sentence; undefined while it is not known. */
export function toUseSentence(summary: KeySummary | undefined): string | undefined {
  if (summary === undefined) {
    return;
  }
  if (summary.lastUsedAt === null) {
    return t`It has never been used.`;
  }
  return summary.requests === 0
    ? t`It has not been used in the last 14 days.`
    : t`It made ${COUNT.format(summary.requests)} ${plural(summary.requests, { one: "request", other: "requests" })} in the last 14 days: programs that use it will fail.`;
}

/** The action that a pressed key means on a row; undefined unless the API key allows it. */
export function findShortcut(
  press: string,
  offers: KeyOffers,
): KeyChange | "edit" | "roll" | undefined {
  switch (press.toLowerCase()) {
    case "e":
      return offers.edit ? "edit" : undefined;
    case "r":
      return offers.roll ? "roll" : undefined;
    case "d":
      return offers.disable ? "disable" : offers.enable ? "enable" : undefined;
    case "delete":
      return offers.revoke ? "revoke" : undefined;
    default:
      return;
  }
}
