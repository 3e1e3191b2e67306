import { createAlertRequest } from "@turnpike/contract/alerts";
import { usageQuery } from "@turnpike/contract/usage-query";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createAlert, evaluateAlerts, listAlerts } from "#modules/alerts/index.ts";
import { queryUsage } from "#modules/analytics/index.ts";
import type { CommandSession } from "../run-command.ts";
import { at, type InstalledTenant } from "./demo-installation.ts";
import { DAY_MS, type DemoWindow, HOUR_MS, instantAt, STORY } from "./demo-usage.ts";

/** Tenants with alerts, two each. */
const TENANTS_MAX = 4;
/** The length of their windows. */
const WINDOW_MINUTES = 60;
/** A window is in the ledger this long after its end. */
const SETTLED_MS = 20_000;
/** One alert covers the outage, the other one fires and recovers with the days. */
const OUTAGE_HOURS_SEEN = 6;
const BUSY_HOURS_SEEN = 36;
const BUSY_STEP_HOURS = 4;

const NAMES = { busy: "Busy hour", errors: "Many errors" } as const;

async function countCalls(
  session: CommandSession,
  tenantId: TenantId,
  window: DemoWindow,
): Promise<number> {
  const from = new Date(window.untilMs - WINDOW_MINUTES * 60_000).toISOString();
  const to = new Date(window.untilMs).toISOString();
  const question = usageQuery.parse({ tenantId, measures: "requests", from, to });
  const { totals } = await queryUsage(session.deps, session.context, question);
  return Number(totals.requests ?? 0);
}

type Wanted = { name: string; createdAtMs: number; input: () => Promise<object> };

function listWanted(session: CommandSession, tenantId: TenantId, window: DemoWindow): Wanted[] {
  const common = { windowMinutes: WINDOW_MINUTES, mailRoles: [], renotifyMinutes: null };
  return [
    {
      name: NAMES.errors,
      createdAtMs: instantAt(window, STORY.outage) - HOUR_MS,
      input: async () => ({
        ...common,
        query: { measure: "error_rate", filters: { environment: "live" } },
        condition: { kind: "above", threshold: 0.2, clear: 0.05 },
      }),
    },
    {
      name: NAMES.busy,
      createdAtMs: window.untilMs - BUSY_HOURS_SEEN * HOUR_MS,
      input: async () => {
        // Half of the calls at the end: it fires then, and is quiet at night.
        const threshold = Math.max(
          1,
          Math.floor((await countCalls(session, tenantId, window)) / 2),
        );
        return {
          ...common,
          query: { measure: "requests", filters: {} },
          condition: { kind: "above", threshold, clear: Math.floor(threshold * 0.8) },
        };
      },
    },
  ];
}

/** The times of evaluation, ascending, epoch milliseconds: around the outage, in the last days, and at the end. */
function listEvaluations(window: DemoWindow): number[] {
  const outageMs = instantAt(window, STORY.outage);
  const outage = Array.from({ length: OUTAGE_HOURS_SEEN }, (_, hour) => outageMs + hour * HOUR_MS);
  const busy = Array.from(
    { length: BUSY_HOURS_SEEN / BUSY_STEP_HOURS },
    (_, step) => window.untilMs - (BUSY_HOURS_SEEN - step * BUSY_STEP_HOURS) * HOUR_MS,
  );
  return [...new Set([...outage, ...busy, window.untilMs])].sort((a, b) => a - b);
}

/**
 * Creates alerts and evaluates them over the demo's outage and its last days: one fires at the end, one is quiet. Existing alerts
 * stay, and an interrupted evaluation continues. No mail is sent.
 */
export async function fillAlerts(
  session: CommandSession,
  installed: readonly InstalledTenant[],
  window: DemoWindow,
): Promise<number> {
  if (window.untilMs - window.fromMs < 2 * DAY_MS) {
    return 0;
  }
  const { context, signal } = session;
  const steady = installed
    .filter(({ tenant, joinedAtMs }) => {
      const isThere = joinedAtMs < instantAt(window, STORY.outage) - 2 * HOUR_MS;
      return isThere && tenant.planId !== "free" && tenant.story !== "suspended";
    })
    .slice(0, TENANTS_MAX);
  const tenantIds = steady.map(({ reply }) => reply.tenantId);
  let added = 0;
  let seenMs = Infinity;
  for (const tenantId of tenantIds) {
    const { items } = await listAlerts(session.deps, context, { tenantId });
    for (const { name, createdAtMs, input } of listWanted(session, tenantId, window)) {
      signal.throwIfAborted();
      const found = items.find((alert) => alert.name === name);
      seenMs = Math.min(seenMs, found?.evaluatedTo == null ? 0 : Date.parse(found.evaluatedTo));
      if (found === undefined) {
        const request = createAlertRequest.parse({ tenantId, name, ...(await input()) });
        await createAlert(at(session, createdAtMs), context, request);
        added += 1;
      }
    }
  }
  for (const evaluatedMs of listEvaluations(window).filter((ms) => ms > seenMs)) {
    signal.throwIfAborted();
    const deps = {
      ...at(session, evaluatedMs + SETTLED_MS),
      jobs: { enqueue: () => Promise.resolve() },
      notices: { sendsMail: false, brandName: "", consoleUrl: undefined },
    };
    await evaluateAlerts(deps, signal, { tenantIds });
  }
  return added;
}
