import { t } from "@lingui/core/macro";
import type { Tone } from "@turnpike/ui/badge";
import type { ReadinessStatus } from "./readiness.ts";

type Verdict = { tone: Tone; label: string; sentence: string };

/** The state of the whole instance, in words. */
export const VERDICTS: Readonly<Record<ReadinessStatus, Verdict>> = {
  ready: { tone: "ok", label: t`Ready`, sentence: t`Everything is working.` },
  degraded: {
    tone: "warning",
    label: t`Degraded`,
    sentence: t`Calls are served, but a component below needs attention.`,
  },
  unready: {
    tone: "danger",
    label: t`Not ready`,
    sentence: t`Calls may be denied until the component below works again.`,
  },
};

/** A `Map`, because a status is text from outside and an object inherits names. */
const PART_STATUSES: ReadonlyMap<string, { tone: Tone; label: string }> = new Map([
  ["ok", { tone: "ok", label: t`Working` }],
  ["degraded", { tone: "warning", label: t`Degraded` }],
  ["down", { tone: "danger", label: t`Down` }],
]);

/** The state of one component, in words. An unknown status is shown as it is, without a judgement. */
export function toPartStatus(status: string): { tone: Tone; label: string } {
  return PART_STATUSES.get(status) ?? { tone: "neutral", label: toPartLabel(status) };
}

/** "changeFeed", "change_feed" and "change-feed" as "Change feed". */
export function toPartLabel(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[-_]+/g, " ")
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
