import type { Alert } from "./alerts.queries.ts";

/** An alert as the server returns it. */
export function makeAlert(input: Partial<Alert> = {}): Alert {
  return {
    alertId: "alt_0199f3b0c1d27a4e8f60112233445566",
    tenantId: "ten_0199f3b0c1d27a4e8f60112233445566" as Alert["tenantId"],
    name: "Many errors",
    query: { measure: "error_rate", filters: { environment: "live" } },
    windowMinutes: 5,
    condition: { kind: "above", threshold: 0.05, clear: 0.01 },
    forEvaluations: 2,
    renotifyMinutes: 60,
    mailRoles: ["owner"],
    phase: "ok",
    phaseSince: "2026-11-20T12:00:00.000Z",
    isPaused: false,
    pausedUntil: null,
    lastValue: 0.001,
    lastPrevious: null,
    evaluatedTo: "2026-11-20T12:30:00.000Z",
    lastError: null,
    createdAt: "2026-11-20T12:00:00.000Z",
    updatedAt: "2026-11-20T12:00:00.000Z",
    ...input,
  };
}
