import type { AlertWindowMinutes } from "@turnpike/domain/alerts/alert-rule";
import type { AlertProposal } from "#components/insights/alert-proposal.view-model.ts";
import { toNumber } from "./answer.view-model.ts";
import type { Answer } from "./questions.queries.ts";

/** What alerts narrow their usage by. */
const FILTERS = [
  "key",
  "route",
  "model",
  "method",
  "status",
  "status_class",
  "environment",
  "event",
];
const WINDOWS: Readonly<Record<string, AlertWindowMinutes>> = { minute: 1, hour: 60, day: 1440 };
const PERCENT = 100;
const PRECISION = 3;

/** What the highest point of a series was: the alert fires when that is passed. */
function toThreshold({ rows, measures, dimensions }: Answer): number | null {
  const [measure] = measures;
  const values = rows.flatMap(({ time, values: cells }) => {
    const value = time === null ? null : toNumber(cells[measure?.name ?? ""]);
    return value === null ? [] : [value];
  });
  const highest = Math.max(...values);
  if (dimensions.length > 0 || !(highest > 0)) {
    return null;
  }
  return measure?.unit === "share"
    ? Number((highest * PERCENT).toPrecision(PRECISION))
    : Math.ceil(highest);
}

/**
 * Proposes an alert on what was asked: its first measure over its filters, above the highest point of a series of minutes, hours or
 * days.
 *
 * @returns Undefined for what no rule about one tenant's usage watches, such as money.
 */
export function toAnswerAlert(answer: Answer): AlertProposal | undefined {
  const { usage, grain } = answer;
  const [measure] = usage?.["measures"]?.split(",") ?? [];
  const isOfOne = usage?.["tenant"] === undefined && usage?.["plan"] === undefined;
  if (usage === null || measure === undefined || !isOfOne) {
    return;
  }
  const windowMinutes = WINDOWS[grain ?? ""];
  return {
    measure,
    filters: Object.fromEntries(Object.entries(usage).filter(([name]) => FILTERS.includes(name))),
    kind: "above",
    threshold: windowMinutes === undefined ? null : toThreshold(answer),
    windowMinutes: windowMinutes ?? 60,
  };
}
