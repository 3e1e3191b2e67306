import { plural, t } from "@lingui/core/macro";
import type { Role } from "@turnpike/domain/access/scopes";
import { evaluationIntervalMs } from "@turnpike/domain/alerts/alert-rule";
import {
  describeAlert,
  describeRecovery,
  formatMeasured,
  formatMinutes,
  type MeterWords,
  meterOfMeasure,
} from "@turnpike/domain/alerts/describe-alert";
import type { Tone } from "@turnpike/ui/badge";
import { LANGUAGE } from "@turnpike/ui/language";
import { ownInLanguage, valueInLanguage } from "#platform/server-words/server-words.ts";
import type { Alert, AlertEvent, AlertPreview } from "./alerts.queries.ts";

export type StateLabel = { tone: Tone; label: string };

/** The state of an alert, in a word. */
export function toAlertState(
  alert: Pick<Alert, "phase" | "isPaused" | "lastError" | "evaluatedTo">,
): StateLabel {
  if (alert.isPaused) {
    return { tone: "neutral", label: t`Paused` };
  }
  if (alert.lastError !== null) {
    return { tone: "warning", label: t`Cannot be evaluated` };
  }
  switch (alert.phase) {
    case "firing":
      return { tone: "danger", label: t`Firing` };
    case "pending":
      return { tone: "warning", label: t`Pending` };
    default:
      return alert.evaluatedTo === null
        ? { tone: "info", label: t`Waiting for first check` }
        : { tone: "ok", label: "OK" };
  }
}

/** Meters by the names that operators gave them. */
export type NamedMeters = readonly ({ meterId: string } & MeterWords)[];

/** The meter of a measure, in words; undefined for measures of calls, and until the meters are loaded. */
export function findMeterWords(measure: string, meters: NamedMeters): MeterWords | undefined {
  const meterId = meterOfMeasure(measure);
  return meters.find((meter) => meter.meterId === meterId);
}

type Rule = Pick<Alert, "query" | "windowMinutes" | "condition">;

function toDescribed({ query, windowMinutes, condition }: Rule, meters: NamedMeters) {
  const { measure } = query;
  return { measure, meter: findMeterWords(measure, meters), windowMinutes, condition };
}

/** The rule of an alert in words. */
export function toRuleText(alert: Rule, meters: NamedMeters): string {
  return ownInLanguage(describeAlert(toDescribed(alert, meters)));
}

/** A measured value: "120 ms". */
export function toMeasuredText(
  alert: Pick<Alert, "query">,
  value: number | null,
  meters: NamedMeters,
): string {
  const { measure } = alert.query;
  return valueInLanguage(formatMeasured(measure, value, findMeterWords(measure, meters)));
}

/** The last measured value: "120 ms"; a dash before the first one. */
export function toLastValueText(
  alert: Pick<Alert, "query" | "lastValue" | "evaluatedTo">,
  meters: NamedMeters,
): string {
  return alert.evaluatedTo === null ? "–" : toMeasuredText(alert, alert.lastValue, meters);
}

const MINUTE_MS = 60_000;

function toRow({ forEvaluations, windowMinutes }: Pick<Alert, "forEvaluations" | "windowMinutes">) {
  const minutes = (forEvaluations * evaluationIntervalMs(windowMinutes)) / MINUTE_MS;
  return plural(forEvaluations, {
    one: "",
    other: `, ${String(forEvaluations)} times in a row (about ${valueInLanguage(formatMinutes(minutes))})`,
  });
}

/** How an alert measures and decides, one line each. */
export function toRuleFacts(
  alert: Alert,
  meters: NamedMeters,
): { window: string; fires: string; recovers: string } {
  const every = evaluationIntervalMs(alert.windowMinutes) / MINUTE_MS;
  const recovery = describeRecovery(toDescribed(alert, meters));
  const row = toRow(alert);
  return {
    window: t`The last ${valueInLanguage(formatMinutes(alert.windowMinutes)).replace(/^1 /, "")}, checked every ${valueInLanguage(formatMinutes(every)).replace(/^1 /, "")} once its usage is recorded`,
    fires: `${toRuleText(alert, meters)}${row}`,
    recovers: `${recovery === undefined ? t`When there is data` : ownInLanguage(recovery)}${row}`,
  };
}

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  owner: t`owners`,
  admin: t`admins`,
  developer: t`developers`,
  billing: t`billing`,
  viewer: t`viewers`,
};
const AND = new Intl.ListFormat(LANGUAGE);

/** Lists who gets notified, and how often. */
export function toNotifiedText(alert: Pick<Alert, "mailRoles" | "renotifyMinutes">): string {
  const mail =
    alert.mailRoles.length === 0
      ? ""
      : t`, ${AND.format(alert.mailRoles.map((role) => ROLE_NAMES[role]))} by e-mail`;
  const again =
    alert.renotifyMinutes === null
      ? t`once`
      : t`again every ${valueInLanguage(formatMinutes(alert.renotifyMinutes)).replace(/^1 /, "")} while it fires`;
  return t`Everyone in the console${mail}, and webhooks; ${again}`;
}

const ALERT_EVENT_LABELS: Readonly<Record<AlertEvent["what"], StateLabel>> = {
  firing: { tone: "danger", label: t`Fired` },
  reminder: { tone: "danger", label: t`Still firing` },
  recovered: { tone: "ok", label: t`Recovered` },
  failed: { tone: "warning", label: t`Could not be evaluated` },
  paused: { tone: "neutral", label: t`Paused` },
  resumed: { tone: "neutral", label: t`Resumed` },
  changed: { tone: "neutral", label: t`Rule changed` },
  tested: { tone: "info", label: t`Tested` },
};

/** An alert event, in words. */
export function toAlertEventLabel({ what }: Pick<AlertEvent, "what">): StateLabel {
  return ALERT_EVENT_LABELS[what];
}

/** The number of firing alerts. */
export function countFiring(alerts: readonly Alert[]): number {
  return alerts.filter(({ phase, isPaused }) => phase === "firing" && !isPaused).length;
}

/** How often a rule would have fired, as a sentence. */
export function toPreviewSummary({ notices }: AlertPreview): string {
  const fired = notices.filter(({ notice }) => notice === "firing").length;
  const reminded = notices.filter(({ notice }) => notice === "reminder").length;
  if (fired === 0) {
    return t`It would not have fired.`;
  }
  const times = plural(fired, { one: "once", other: `${String(fired)} times` });
  const reminders =
    reminded === 0
      ? ""
      : t`, with ${String(reminded)} reminder${plural(reminded, { one: "", other: "s" })}`;
  return t`It would have fired ${times}${reminders}.`;
}
