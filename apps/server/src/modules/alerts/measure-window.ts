import { toAlertUsageQuery } from "@turnpike/contract/alerts";
import type { UsageReport } from "@turnpike/contract/usage";
import type { AlertReading } from "@turnpike/domain/alerts/advance-alert";
import type { AlertConditionKind } from "@turnpike/domain/alerts/alert-rule";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { queryUsage } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";

const MINUTE_MS = 60_000;
/** The time unit in which some meters are stored. The ends of a question about them are rounded up to it. */
const QUARTER_MS = 15 * MINUTE_MS;

export type WindowInput = {
  tenantId: TenantId;
  query: { measure: string; filters: Record<string, string> };
  windowMinutes: number;
  kind: AlertConditionKind;
};

export type MeasuredWindow = AlertReading & {
  fromMs: number;
  /** The time unit in which the measure is stored, in milliseconds. */
  unitMs: number;
};

/** Converts a count, an exact decimal or a quotient to a number; null where there is no value. */
export function toNumber(totals: UsageReport["totals"], measure: string): number | null {
  const value = Object.entries(totals).find(([name]) => name === measure)?.[1];
  return value === undefined || value === null ? null : Number(value);
}

async function ask(deps: AppServices, input: WindowInput, toMs: number): Promise<UsageReport> {
  const { tenantId, query, windowMinutes } = input;
  const actor = { type: "system" as const, id: "alerts" };
  const question = toAlertUsageQuery(query, {
    tenantId,
    from: new Date(toMs - windowMinutes * MINUTE_MS).toISOString(),
    to: new Date(toMs).toISOString(),
    ...(input.kind === "change" ? { compare: "previous" as const } : {}),
  });
  return await queryUsage(deps, { actor, requestId: deps.newId("request") }, question);
}

/**
 * Measures the window that ends at `toMs`, a whole minute. Where the measure is stored by the quarter of an hour, it measures the
 * window that ends with the last complete quarter.
 *
 * @throws {AppError} As `queryUsage`, if the question is invalid, names something missing or would sum too much.
 */
export async function measureWindow(
  deps: AppServices,
  input: WindowInput,
  toMs: number,
): Promise<MeasuredWindow> {
  let report = await ask(deps, input, toMs);
  let unitMs = MINUTE_MS;
  if (Date.parse(report.to) > toMs) {
    unitMs = QUARTER_MS;
    report = await ask(deps, input, Math.floor(toMs / QUARTER_MS) * QUARTER_MS);
  }
  const { measure } = input.query;
  return {
    atMs: Date.parse(report.to),
    fromMs: Date.parse(report.from),
    value: toNumber(report.totals, measure),
    previous: report.previous === null ? null : toNumber(report.previous.totals, measure),
    unitMs,
  };
}
