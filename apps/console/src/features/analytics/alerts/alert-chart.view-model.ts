import { t } from "@lingui/core/macro";
import type { AlertCondition } from "@turnpike/domain/alerts/alert-rule";
import type { TimeSeries, TimeStretches } from "@turnpike/ui/charts/chart-types";
import type { TimeBucket, TimeRange } from "@turnpike/ui/charts/time-buckets.view-model";
import type { Alert, AlertEvent, AlertPreview, AlertRuleInput } from "./alerts.queries.ts";

export type AlertTimeline = {
  buckets: readonly TimeBucket[];
  series: readonly TimeSeries[];
  stretches: TimeStretches;
};

type ConditionInput = AlertRuleInput["condition"];
type Direction = Extract<AlertCondition, { kind: "change" }>["direction"];

/** The threshold lines of a change, from the value of the window before. */
function toLines(previous: number | null, percent: number, direction: Direction) {
  const by = (sign: 1 | -1) =>
    previous === null ? null : Math.max(0, previous * (1 + (sign * percent) / 100));
  return {
    ...(direction !== "down" && { up: by(1) }),
    ...(direction !== "up" && { down: by(-1) }),
  };
}

/** The horizontal lines: the threshold, and the level of recovery. */
function toLevels(points: AlertPreview["points"], condition: ConditionInput): TimeSeries[] {
  if (condition.kind === "no_data") {
    return [];
  }
  const { threshold, clear = threshold } = condition;
  const level = (key: string, label: string, values: (number | null)[]): TimeSeries => ({
    key,
    label,
    tone: key.startsWith("clear") ? "ok" : "danger",
    look: "level",
    values,
  });
  if (condition.kind !== "change") {
    const flat = (value: number) => points.map(() => value);
    return [
      level("threshold", t`Threshold`, flat(threshold)),
      ...(clear === threshold ? [] : [level("clear", t`Recovers`, flat(clear))]),
    ];
  }
  const { direction } = condition;
  const moving = points.map((_, place) =>
    toLines(points[place - 1]?.value ?? null, threshold, direction),
  );
  return [
    ...(direction === "down"
      ? []
      : [
          level(
            "threshold",
            t`Threshold`,
            moving.map(({ up }) => up ?? null),
          ),
        ]),
    ...(direction === "up"
      ? []
      : [
          level(
            "threshold-down",
            direction === "down" ? t`Threshold` : t`Threshold below`,
            moving.map(({ down }) => down ?? null),
          ),
        ]),
  ];
}

/** Draws the value of each window, the threshold lines, and when the alert fires. */
export function toAlertTimeline(
  { points, everyMinutes }: Pick<AlertPreview, "points" | "everyMinutes">,
  condition: ConditionInput,
  spans: readonly TimeRange[],
): AlertTimeline {
  const lengthMs = everyMinutes * 60_000;
  return {
    buckets: points.map(({ at }) => {
      const toMs = Date.parse(at);
      return { fromMs: toMs - lengthMs, toMs };
    }),
    series: [
      {
        key: "value",
        label: t`Measured`,
        tone: "accent",
        values: points.map(({ value }) => value),
      },
      ...toLevels(points, condition),
    ],
    stretches: { label: t`Firing`, tone: "danger", spans },
  };
}

/** The times when a rule would have been firing; neighbouring windows are joined. */
export function toPreviewSpans({
  points,
  everyMinutes,
}: Pick<AlertPreview, "points" | "everyMinutes">): TimeRange[] {
  const lengthMs = everyMinutes * 60_000;
  const spans: TimeRange[] = [];
  let isRow = false;
  for (const { at, phase } of points) {
    const toMs = Date.parse(at);
    const last = spans.at(-1);
    if (phase === "firing" && isRow && last !== undefined) {
      last.toMs = toMs;
    } else if (phase === "firing") {
      spans.push({ fromMs: toMs - lengthMs, toMs });
    }
    isRow = phase === "firing";
  }
  return spans;
}

/** The alert event ends the stretch regardless of the next window. */
const ENDS: readonly AlertEvent["what"][] = ["recovered", "paused", "changed"];

/**
 * When an alert was firing, from its events; a stretch that is still running ends now. Before the oldest known event, the
 * alert counts as firing only when a reminder or a recovery follows.
 *
 * @param alertEvents - Newest first.
 * @param sinceMs - The start of the known history; nothing is said about the time before.
 */
export function toFiringSpans(
  alert: Pick<Alert, "phase" | "phaseSince">,
  alertEvents: readonly Pick<AlertEvent, "at" | "what">[],
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): TimeRange[] {
  const spans: TimeRange[] = [];
  let fromMs: number | undefined;
  let isKnown = false;
  for (const { at, what } of alertEvents.toReversed()) {
    const atMs = Date.parse(at);
    if (what === "firing") {
      fromMs = atMs;
    } else if (!isKnown && (what === "reminder" || what === "recovered")) {
      fromMs = sinceMs;
    }
    isKnown ||= what === "firing" || what === "reminder" || ENDS.includes(what);
    if (ENDS.includes(what) && fromMs !== undefined) {
      spans.push({ fromMs, toMs: atMs });
      fromMs = undefined;
    }
  }
  if (alert.phase === "firing") {
    const since = alert.phaseSince === null ? sinceMs : Date.parse(alert.phaseSince);
    spans.push({ fromMs: fromMs ?? since, toMs: nowMs });
  }
  return spans;
}
