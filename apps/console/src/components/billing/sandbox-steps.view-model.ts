import { t } from "@lingui/core/macro";
import { period } from "@turnpike/domain/time/period";
import type { Subscription } from "#platform/billing-queries.ts";
import { formatDate } from "#platform/format-period.ts";
import { countTime } from "../time-words.ts";

/** A jump of the sandbox's clock. */
export type SandboxStep = { key: string; label: string; to: string };

const STEPS = [
  { key: "day", label: countTime(1, "day") },
  { key: "week", label: countTime(1, "week") },
  { key: "month", label: countTime(1, "month") },
] as const;

/**
 * Lists where the clock of the sandbox can be moved to: the ends of trial and period that lie ahead, then fixed steps.
 *
 * @param now - The time in the sandbox, ISO 8601.
 */
export function toSandboxSteps(
  now: string,
  ends: Pick<Subscription, "trialEndsAt" | "periodTo"> | undefined,
): readonly SandboxStep[] {
  const end = (key: string, name: string, to: string | null | undefined): SandboxStep[] =>
    typeof to === "string" && to > now
      ? [{ key, label: t`To the end of the ${name}, ${formatDate(to)}`, to }]
      : [];
  return [
    ...end("trial", "trial", ends?.trialEndsAt),
    // A trial is the period of its time.
    ...(ends?.periodTo === ends?.trialEndsAt ? [] : end("period", "period", ends?.periodTo)),
    ...STEPS.map(({ key, label }) => ({
      key,
      label,
      to: period(new Date(now), key, 0).end.toISOString(),
    })),
  ];
}
