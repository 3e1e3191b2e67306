import { t } from "@lingui/core/macro";
import { inSentence } from "@turnpike/ui/language";
import type { Exhaustion } from "#platform/forecast-queries.ts";
import { formatPercent } from "#platform/format.ts";
import { formatQuantity } from "#platform/format-measure.ts";
import { formatMoney } from "#platform/format-money.ts";
import { formatDate } from "#platform/format-period.ts";
import { inLanguage } from "#platform/server-words/server-words.ts";

export type ExhaustionTone = "ok" | "warning" | "danger" | "neutral";

export type ExhaustionView = {
  key: string;
  name: string;
  /** What is left, and of how much. */
  left: string;
  share: number;
  when: string;
  tone: ExhaustionTone;
  action: { to: "/plans" | "/billings"; label: string } | undefined;
};

function describeRange({ earliest80, latest80 }: Exhaustion): string {
  if (earliest80 === null) {
    return "";
  }
  const from = formatDate(earliest80);
  return latest80 === null
    ? t` (${formatPercent(0.8)}: ${from} or later)`
    : from === formatDate(latest80)
      ? ""
      : t` (${formatPercent(0.8)}: ${from} to ${formatDate(latest80)})`;
}

function describeExhausted(isHard: boolean, resetsAt: string | null): string {
  if (resetsAt === null) {
    return isHard ? t`Used up.` : t`Passed.`;
  }
  const day = formatDate(resetsAt);
  return isHard ? t`Used up; it resets on ${day}.` : t`Passed; it resets on ${day}.`;
}

function describeWhen(item: Exhaustion): string {
  const { at, state, earliest80, resetsAt, isHard } = item;
  switch (state) {
    case "exhausted":
      return describeExhausted(isHard, resetsAt);
    case "not_enough_history":
      return t`Too little history to say when.`;
    case "not_within_90_days":
      return earliest80 === null
        ? t`Lasts for at least the next 90 days.`
        : t`Lasts most likely, but may run out from ${formatDate(earliest80)} on.`;
    case "runs_out": {
      const isLater = at !== null && resetsAt !== null && Date.parse(at) > Date.parse(resetsAt);
      const when = at === null ? "" : formatDate(at);
      return t`${isLater ? t`Lasts this period; runs` : t`Runs`} out around ${when}${describeRange(item)}.`;
    }
  }
}

function toneOf({ state, at, resetsAt }: Exhaustion): ExhaustionTone {
  if (state === "exhausted") {
    return "danger";
  }
  if (state === "not_enough_history") {
    return "neutral";
  }
  const isLater = at !== null && resetsAt !== null && Date.parse(at) > Date.parse(resetsAt);
  return state === "runs_out" && !isLater ? "warning" : "ok";
}

/** One thing that may run out, as the screen has it. */
export function toExhaustionView(item: Exhaustion): ExhaustionView {
  const { kind, meter, name, limit, left, unit, state } = item;
  const amount = (value: string) =>
    kind === "quota" ? formatQuantity(Number(value)) : formatMoney(value, unit);
  const runsOut = state === "runs_out" || state === "exhausted";
  return {
    key: `${kind} ${meter ?? ""}`,
    name: kind === "quota" ? t`Quota of ${inSentence(name)}` : inLanguage(name),
    left: t`${amount(left)} of ${amount(limit)} left`,
    share: Number(limit) === 0 ? 1 : 1 - Number(left) / Number(limit),
    when: describeWhen(item),
    tone: toneOf(item),
    action: runsOut
      ? kind === "quota"
        ? { to: "/plans", label: t`Compare plans` }
        : { to: "/billings", label: kind === "credit" ? t`Top up` : t`Change the cap` }
      : undefined,
  };
}
