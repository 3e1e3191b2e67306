import { t } from "@lingui/core/macro";
import type { KEY_GRACE_SECONDS } from "@turnpike/contract/keys";
import type { Choice } from "@turnpike/ui/choice";
import { countTime } from "#components/time-words.ts";
import type { Key } from "../api-keys.queries.ts";

export type GraceSeconds = (typeof KEY_GRACE_SECONDS)[number];
export type GraceValue = `${GraceSeconds}`;

/** The grace periods, and what each is for. */
export const GRACE_CHOICES: readonly Choice<GraceValue>[] = [
  {
    value: "0",
    label: t`Not at all`,
    note: t`For a leaked key: it is refused within a second, and anything still using it fails.`,
  },
  { value: "60", label: countTime(1, "minute"), note: t`When only a setting has to be reloaded.` },
  { value: "3600", label: countTime(1, "hour"), note: t`For one service you are deploying now.` },
  {
    value: "86400",
    label: countTime(1, "day"),
    note: t`Time for a rollout: both keys work until everything has the new one.`,
  },
  { value: "604800", label: countTime(7, "day"), note: t`When other people have to switch too.` },
];

/** When the old key ends, epoch milliseconds: after the grace period, but never later than its own expiry. */
export function toGraceEndMs(key: Key, graceSeconds: number, nowMs: number): number {
  const endMs = nowMs + graceSeconds * 1000;
  return key.expiresAt === null ? endMs : Math.min(endMs, Date.parse(key.expiresAt));
}
