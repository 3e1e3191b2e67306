import { t } from "@lingui/core/macro";
import type { Role } from "@turnpike/domain/access/scopes";
import {
  ALERT_WINDOW_MINUTES,
  type AlertConditionKind,
  type AlertWindowMinutes,
  type ChangeDirection,
  evaluationIntervalMs,
} from "@turnpike/domain/alerts/alert-rule";
import { formatMinutes, nameMeasure } from "@turnpike/domain/alerts/describe-alert";
import { describeFilter } from "@turnpike/domain/alerts/describe-filter";
import type { AlertProposal } from "#components/insights/alert-proposal.view-model.ts";
import { inLanguage, valueInLanguage } from "#platform/server-words/server-words.ts";
import { joinCommaList, splitCommaList } from "#platform/usage-query.ts";
import type { AnalyticsView } from "../analytics-search.view-model.ts";
import { FILTER_DIMENSIONS } from "../analytics-search.view-model.ts";
import type { Alert, AlertRuleInput } from "./alerts.queries.ts";

/** Call measures offered for alerts, the most likely first. */
export const CALL_MEASURES = [
  "requests",
  "errors",
  "error_rate",
  "denied",
  "latency_p50",
  "latency_p95",
  "latency_p99",
  "latency_avg",
  "billable",
  "bytes_in",
  "bytes_out",
] as const;

/** The text typed into the form: numbers as people write them, shares in percent. */
export type AlertDraft = {
  name: string;
  measure: string;
  filters: Readonly<Record<string, string>>;
  kind: AlertConditionKind;
  direction: ChangeDirection;
  threshold: number | null;
  /** Null: at the threshold. */
  clear: number | null;
  windowMinutes: AlertWindowMinutes;
  forEvaluations: number | null;
  /** Null: once. */
  renotifyMinutes: number | null;
  mailRoles: readonly Role[];
};

const HUNDRED = 100;

/** Shares are typed in percent. */
function scaleOf(measure: string, kind: AlertConditionKind): number {
  return measure === "error_rate" && kind !== "change" ? HUNDRED : 1;
}

/** The unit shown after a threshold: "ms", "%"; undefined when it has none. */
export function unitOf(measure: string, kind: AlertConditionKind): string | undefined {
  if (kind === "change" || measure === "error_rate") {
    return "%";
  }
  if (measure.startsWith("latency_")) {
    return "ms";
  }
  return measure.startsWith("bytes_") ? "bytes" : undefined;
}

/** Starts a draft with the filters of the current view. */
export function draftFromView(view: Pick<AnalyticsView, "filters">): AlertDraft {
  const filters = FILTER_DIMENSIONS.flatMap((name) => {
    const values = view.filters[name] ?? [];
    return values.length === 0 ? [] : [[name, joinCommaList(values)] as const];
  });
  return {
    name: "",
    measure: "requests",
    filters: Object.fromEntries(filters),
    kind: "above",
    direction: "up",
    threshold: null,
    clear: null,
    windowMinutes: 5,
    forEvaluations: 1,
    renotifyMinutes: 60,
    mailRoles: ["owner", "admin"],
  };
}

/** Starts a draft from what another screen proposes. */
export function draftFromProposal({
  measure,
  filters,
  kind,
  threshold,
  windowMinutes,
}: AlertProposal): AlertDraft {
  return {
    ...draftFromView({ filters: {} }),
    name: suggestName({ measure, kind }),
    measure,
    filters,
    kind,
    threshold,
    windowMinutes,
  };
}

/** The window of an alert; one that is no longer offered becomes the next shorter one. */
function toWindow(minutes: number): AlertWindowMinutes {
  return ALERT_WINDOW_MINUTES.findLast((one) => one <= minutes) ?? ALERT_WINDOW_MINUTES[0];
}

/** Starts a draft from an existing alert. */
export function draftFromAlert(alert: Alert): AlertDraft {
  const { condition, query } = alert;
  const scale = scaleOf(query.measure, condition.kind);
  const toTyped = (value: number) => Number((value * scale).toPrecision(12));
  const isClearOwn = condition.kind !== "no_data" && condition.clear !== condition.threshold;
  return {
    name: alert.name,
    measure: query.measure,
    filters: query.filters,
    kind: condition.kind,
    direction: condition.kind === "change" ? condition.direction : "up",
    threshold: condition.kind === "no_data" ? null : toTyped(condition.threshold),
    clear: isClearOwn ? toTyped(condition.clear) : null,
    windowMinutes: toWindow(alert.windowMinutes),
    forEvaluations: alert.forEvaluations,
    renotifyMinutes: alert.renotifyMinutes,
    mailRoles: alert.mailRoles,
  };
}

function toCondition(draft: AlertDraft): AlertRuleInput["condition"] | undefined {
  const { kind, threshold, clear, direction } = draft;
  if (kind === "no_data") {
    return { kind };
  }
  if (threshold === null) {
    return;
  }
  const scale = scaleOf(draft.measure, kind);
  const values = {
    threshold: threshold / scale,
    ...(clear === null ? {} : { clear: clear / scale }),
  };
  return kind === "change" ? { kind, direction, ...values } : { kind, ...values };
}

/** The rule of a draft as the API takes it; undefined while the threshold is missing. */
export function toRule(draft: AlertDraft): AlertRuleInput | undefined {
  const condition = toCondition(draft);
  return condition === undefined
    ? undefined
    : {
        query: { measure: draft.measure, filters: { ...draft.filters } },
        windowMinutes: draft.windowMinutes,
        condition,
        forEvaluations: draft.forEvaluations ?? 1,
        renotifyMinutes: draft.renotifyMinutes,
      };
}

/** Errors found before the form is sent, by field. */
export function findDraftFaults(draft: AlertDraft): { name?: string; threshold?: string } {
  return {
    ...(draft.name.trim() === "" ? { name: t`Enter a name that says what is wrong.` } : {}),
    ...(toRule(draft) === undefined ? { threshold: t`Enter the value at which it fires.` } : {}),
  };
}

/** The filters of an alert, one sentence each: "Route: /cities/{city}". */
export function listFilterTexts(
  filters: Readonly<Record<string, string>>,
  nameKey: (keyId: string) => string | undefined,
): string[] {
  return Object.entries(filters).map(([name, text]) => {
    return inLanguage(describeFilter(name, splitCommaList(text), nameKey));
  });
}

/** The time that this many consecutive evaluations take: "3 minutes". */
export function toForText(draft: Pick<AlertDraft, "forEvaluations" | "windowMinutes">): string {
  const every = evaluationIntervalMs(draft.windowMinutes) / 60_000;
  return valueInLanguage(formatMinutes((draft.forEvaluations ?? 1) * every));
}

/** A name for a draft without one: "Error rate above". */
export function suggestName(draft: Pick<AlertDraft, "measure" | "kind">): string {
  const name = inLanguage(nameMeasure(draft.measure));
  switch (draft.kind) {
    case "above":
      return t`${name} high`;
    case "below":
      return t`${name} low`;
    case "change":
      return t`${name} changed`;
    default:
      return t`${name} silent`;
  }
}
