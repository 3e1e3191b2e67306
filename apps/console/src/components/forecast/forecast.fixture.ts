import type { Exhaustion, InvoiceForecast, UsageForecast } from "#platform/forecast-queries.ts";
import { TENANT_ID } from "../billing/billing-answers.fixture.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const TODAY_MS = Date.UTC(2026, 10, 20);
const at = (day: number) => new Date(TODAY_MS + day * DAY_MS).toISOString();
const bandOf = (mean: number) => ({
  mean,
  lower80: mean * 0.9,
  upper80: mean * 1.1,
  lower95: mean * 0.8,
  upper95: mean * 1.2,
});

type MeterForecast = UsageForecast["meters"][number];

export function makeMeterForecast(changes: Partial<MeterForecast> = {}): MeterForecast {
  return {
    meter: "requests",
    name: "Requests",
    unit: "request",
    history: { days: 60, needed: 21 },
    state: "forecast",
    notes: [],
    past: Array.from({ length: 60 }, (_, day) => ({ from: at(day - 60), value: 100 })),
    days: Array.from({ length: 90 }, (_, day) => ({ from: at(day), ...bandOf(100) })),
    totals: [7, 30, 90].map((days) => ({ days, ...bandOf(100 * days) })),
    period: { from: at(-10), to: at(21), used: 1000, total: bandOf(3100) },
    accuracy: [],
    ...changes,
  };
}

export function makeUsageForecast(meters: MeterForecast[]): UsageForecast {
  return { tenantId: TENANT_ID as never, timeZone: "UTC", asOf: at(0), meters };
}

const moneyOf = (mean: string, lower: string, upper: string) => ({
  mean,
  lower80: lower,
  upper80: upper,
  lower95: lower,
  upper95: upper,
});

export function makeInvoiceForecast(changes: Partial<InvoiceForecast> = {}): InvoiceForecast {
  return {
    tenantId: TENANT_ID as never,
    asOf: at(0),
    currency: "USD",
    state: "forecast",
    history: { days: 60, needed: 21 },
    runningTotal: "49.00",
    invoices: [
      {
        issuesAt: at(20),
        from: at(-10),
        to: at(20),
        total: moneyOf("123.40", "110.00", "140.20"),
        due: moneyOf("123.40", "110.00", "140.20"),
        net: "123.40",
        taxes: [],
        lines: [],
      },
    ],
    days90: moneyOf("123.40", "110.00", "140.20"),
    accuracy: [],
    ...changes,
  };
}

export function makeExhaustion(changes: Partial<Exhaustion> = {}): Exhaustion {
  return {
    kind: "quota",
    meter: "requests",
    name: "Requests",
    unit: "request",
    limit: "10000",
    used: "7500",
    left: "2500",
    isHard: true,
    resetsAt: at(30),
    state: "runs_out",
    at: at(20),
    earliest80: at(18),
    latest80: at(23),
    earliest95: at(16),
    latest95: null,
    ...changes,
  };
}
