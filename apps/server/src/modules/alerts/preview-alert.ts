import {
  type AlertPreview,
  PREVIEW_POINTS_MAX,
  type PreviewAlertRequest,
  toAlertUsageQuery,
} from "@turnpike/contract/alerts";
import type { CallContext } from "@turnpike/domain/access/actor";
import { advanceAlert, INITIAL_ALERT_STATE } from "@turnpike/domain/alerts/advance-alert";
import {
  type AlertRule,
  type AlertWindowMinutes,
  evaluationIntervalMs,
  settledMinuteMs,
} from "@turnpike/domain/alerts/alert-rule";
import { queryWindows } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertAnswerable, assertMayAsk, toCondition } from "./assert-answerable.ts";
import { toNumber } from "./measure-window.ts";

const MINUTE_MS = 60_000;

/** How many windows a preview covers, by window length: from some hours of minutes to two months of days. */
const WINDOWS_SHOWN: Readonly<Record<AlertWindowMinutes, number>> = {
  1: 240,
  5: 288,
  15: 288,
  30: 288,
  60: 240,
  360: 120,
  1440: 60,
};

type Windows = { endMs: number; value: number | null }[];

async function readWindows(
  deps: AppServices,
  context: CallContext,
  input: PreviewAlertRequest,
): Promise<Windows> {
  const { tenantId, query, windowMinutes } = input;
  const windowMs = windowMinutes * MINUTE_MS;
  // Windows end where windows of their length can end, such as at the full hour, so that every kind of rollup has them.
  const lastMs = settledMinuteMs(deps.clock.now().getTime());
  const toMs = Math.floor(lastMs / windowMs) * windowMs;
  // One extra window in front, for the change of the first.
  const count = Math.min(WINDOWS_SHOWN[windowMinutes], PREVIEW_POINTS_MAX) + 1;
  const question = toAlertUsageQuery(query, {
    tenantId,
    from: new Date(toMs - count * windowMs).toISOString(),
    to: new Date(toMs).toISOString(),
  });
  const windows = await queryWindows(deps, context, { question, windowMs });
  return windows.map(({ endMs, values }) => ({ endMs, value: toNumber(values, query.measure) }));
}

/**
 * Shows the notices that a rule would have sent over the last hours, days or weeks, by the decisions of the alert itself. Windows
 * follow each other without overlap, so the alert, which evaluates more often, may fire a little sooner.
 *
 * @throws {AppError} `INVALID_REQUEST` for a question that cannot be answered; `QUERY_TOO_COSTLY`; `RESOURCE_NOT_FOUND`;
 *   `INSUFFICIENT_SCOPE`.
 */
export async function previewAlert(
  deps: AppServices,
  context: CallContext,
  input: PreviewAlertRequest,
): Promise<AlertPreview> {
  const { tenantId, query, windowMinutes, renotifyMinutes } = input;
  assertMayAsk(context, "read", tenantId);
  const condition = toCondition(input.condition);
  await assertAnswerable(deps, { tenantId, query, windowMinutes, kind: condition.kind });
  const windows = await readWindows(deps, context, input);
  const stepMs = windowMinutes * MINUTE_MS;
  const rule: AlertRule = {
    condition,
    // The number of evaluations that takes the same time, at least one.
    forEvaluations: Math.ceil(
      (input.forEvaluations * evaluationIntervalMs(windowMinutes)) / stepMs,
    ),
    renotifyMs: renotifyMinutes === null ? null : renotifyMinutes * MINUTE_MS,
    everyMs: stepMs,
  };
  const points: AlertPreview["points"] = [];
  const notices: AlertPreview["notices"] = [];
  let state = INITIAL_ALERT_STATE;
  for (const [place, { endMs, value }] of windows.entries()) {
    if (place === 0) {
      continue;
    }
    const previous = windows[place - 1]?.value ?? null;
    const reading = { atMs: endMs, value, previous };
    const step = advanceAlert({ rule, state, reading, isPaused: false });
    state = step.state;
    const at = new Date(endMs).toISOString();
    points.push({ at, value, phase: state.phase });
    if (step.notice !== null) {
      notices.push({ at, notice: step.notice, value });
    }
  }
  const [, first] = windows;
  const last = windows.at(-1);
  const nowMs = deps.clock.now().getTime();
  return {
    from: new Date((first?.endMs ?? nowMs) - stepMs).toISOString(),
    to: new Date(last?.endMs ?? nowMs).toISOString(),
    everyMinutes: windowMinutes,
    points,
    notices,
  };
}
