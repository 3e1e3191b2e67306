import { SAMPLE_CATALOG } from "@turnpike/domain/catalog/plan";
import { toId } from "@turnpike/domain/ids/ids";
import { isBillableStatus } from "@turnpike/domain/metering/outcome";
import { periodAt } from "@turnpike/domain/time/period";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEMO_TENANTS, type DemoTenant, listDemoTenants } from "./demo-tenants.ts";
import {
  countHours,
  DAY_MS,
  type DemoUsageInput,
  generateUsage,
  HOUR_MS,
  instantAt,
  MINUTE_MS,
  STORY,
} from "./demo-usage.ts";

const UUID = "0199f3b0c1d27a4e8f601122334455";
const FROM = Date.UTC(2026, 0, 5);

function makeInput(tenant: DemoTenant, options: { seed?: number; days?: number; quota?: number }) {
  const window = { fromMs: FROM, untilMs: FROM + (options.days ?? 21) * DAY_MS + 17 * MINUTE_MS };
  const key = {
    name: "production",
    environment: "live" as const,
    share: 0.7,
    activeFromMs: FROM,
    revokedAtMs: null as number | null,
  };
  const input: DemoUsageInput = {
    seed: options.seed ?? 1,
    window,
    tenantId: toId("tenant", `${UUID}00`),
    tenant,
    joinedAtMs: tenant.joinsAt === 0 ? FROM : instantAt(window, tenant.joinsAt),
    periodAnchor: new Date(Date.UTC(2026, 0, 1)),
    periodUnit: "month",
    keys: [
      { ...key, keyId: toId("key", `${UUID}01`), revokedAtMs: instantAt(window, STORY.rotation) },
      { ...key, keyId: toId("key", `${UUID}02`), share: 0.3 },
      { ...key, keyId: toId("key", `${UUID}03`), share: 0.05, environment: "test" },
    ],
    hardQuotaOf: () => options.quota ?? null,
  };
  return input;
}

const tenantOf = (story: DemoTenant["story"]) => {
  const tenant = DEMO_TENANTS.find((candidate) => candidate.story === story);
  if (tenant === undefined) {
    throw new Error(`No tenant for ${story}`);
  }
  return tenant;
};
const entriesOf = (input: DemoUsageInput) => [...generateUsage(input)].flatMap((h) => h.entries);
const sumCalls = (entries: { calls: number }[]) =>
  entries.reduce((sum, entry) => sum + entry.calls, 0);

describe("generateUsage", () => {
  it("keeps every entry whole, on its minute, in its window, its period and its key's time", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1000 }),
        fc.constantFrom(...DEMO_TENANTS),
        fc.integer({ min: 1, max: 45 }),
        (seed, tenant, days) => {
          const input = makeInput(tenant, { seed, days });
          for (const hour of generateUsage(input)) {
            for (const entry of hour.entries) {
              const period = periodAt(
                input.periodAnchor,
                input.periodUnit,
                new Date(entry.minuteMs),
              );
              expect(entry.minuteMs % MINUTE_MS).toBe(0);
              expect(entry.minuteMs).toBeGreaterThanOrEqual(input.joinedAtMs);
              expect(entry.minuteMs).toBeLessThan(input.window.untilMs);
              expect(entry.minuteMs).toBeGreaterThanOrEqual(hour.startMs);
              expect(entry.minuteMs).toBeLessThan(hour.endMs);
              expect(entry.periodStartMs).toBe(period.start.getTime());
              expect(entry.periodEndMs).toBe(period.end.getTime());
              expect(Number.isInteger(entry.calls) && entry.calls > 0).toBe(true);
              const isBilled = entry.outcome === "VALID" && isBillableStatus(entry.status);
              expect(entry.quantity).toBe(isBilled ? entry.calls : 0);
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("never bills more than a hard quota in a period, and refuses the rest", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1000 }),
        fc.integer({ min: 0, max: 60_000 }),
        (seed, quota) => {
          const input = makeInput(tenantOf("hits-quota"), { seed, days: 40, quota });
          const billed = new Map<string, number>();
          let refused = 0;
          for (const entry of entriesOf(input)) {
            const slot = `${entry.environment} ${entry.periodStartMs}`;
            billed.set(slot, (billed.get(slot) ?? 0) + entry.quantity);
            refused += entry.outcome === "QUOTA_EXCEEDED" ? entry.calls : 0;
          }
          expect(Math.max(...billed.values())).toBeLessThanOrEqual(quota);
          const free = makeInput(tenantOf("hits-quota"), { seed, days: 40 });
          const wanted = entriesOf(free).reduce((sum, entry) => sum + entry.quantity, 0);
          const given = [...billed.values()].reduce((sum, value) => sum + value, 0);
          expect(given + refused).toBe(wanted);
        },
      ),
      { numRuns: 10 },
    );
  });

  it("uses up the quota of the sample catalogue in a whole month", () => {
    const tenant = tenantOf("hits-quota");
    const plan = SAMPLE_CATALOG.plans.find(({ planId }) => planId === tenant.planId);
    const quota = plan?.quotas.find(({ kind }) => kind === "hard")?.limit ?? null;
    const input = makeInput(tenant, { days: 60, ...(quota !== null && { quota }) });
    expect(entriesOf(input).map(({ outcome }) => outcome)).toContain("QUOTA_EXCEEDED");
  });

  it("makes up the same usage from the same seed, and other usage from another", () => {
    const input = makeInput(tenantOf("steady"), { seed: 4 });
    expect(entriesOf(input)).toEqual(entriesOf(makeInput(tenantOf("steady"), { seed: 4 })));
    expect(entriesOf(input)).not.toEqual(entriesOf(makeInput(tenantOf("steady"), { seed: 5 })));
  });

  it("takes from a smaller quota the same beginning, so that a demo can go on beside real calls", () => {
    const all = [...generateUsage(makeInput(tenantOf("hits-quota"), { quota: 20_000 }))];
    const less = [...generateUsage(makeInput(tenantOf("hits-quota"), { quota: 15_000 }))];
    let billed = 0;
    for (const [index, hour] of all.entries()) {
      billed += hour.entries.reduce((sum, entry) => sum + entry.quantity, 0);
      if (billed > 10_000) {
        break;
      }
      expect(less[index]).toEqual(hour);
    }
    expect(billed).toBeGreaterThan(10_000);
  });

  it("gives as many hours as it says", () => {
    for (const tenant of DEMO_TENANTS) {
      const input = makeInput(tenant, { days: 9 });
      expect([...generateUsage(input)]).toHaveLength(countHours(input));
    }
  });

  it("is busier by day than by night and on working days than on weekends", () => {
    const input = makeInput(DEMO_TENANTS[1] ?? tenantOf("steady"), { days: 28 });
    const hours = [...generateUsage(input)];
    const mean = (choose: (date: Date) => boolean) => {
      const chosen = hours.filter((hour) => choose(new Date(hour.startMs)));
      return sumCalls(chosen.flatMap((hour) => hour.entries)) / chosen.length;
    };
    const { peakHour } = input.tenant;
    expect(mean((date) => date.getUTCHours() === peakHour)).toBeGreaterThan(
      3 * mean((date) => date.getUTCHours() === (peakHour + 12) % 24),
    );
    const isWeekend = (date: Date) => date.getUTCDay() % 6 === 0;
    expect(mean((date) => !isWeekend(date))).toBeGreaterThan(2 * mean(isWeekend));
  });

  it("shows the outage at every tenant, and the storm, the suspension and the rotation at theirs", () => {
    const failures = (input: DemoUsageInput) => {
      const startMs = instantAt(input.window, STORY.outage);
      const during = entriesOf(input).filter(
        (entry) => entry.minuteMs >= startMs && entry.minuteMs < startMs + 3 * HOUR_MS,
      );
      return sumCalls(during.filter((entry) => entry.status >= 500)) / sumCalls(during);
    };
    expect(failures(makeInput(tenantOf("steady"), {}))).toBeGreaterThan(0.5);
    const outcomes = (story: DemoTenant["story"]) =>
      new Set(entriesOf(makeInput(tenantOf(story), {})).map((entry) => entry.outcome));
    expect(outcomes("retry-storm")).toContain("RATE_LIMITED");
    expect(outcomes("suspended")).toContain("TENANT_SUSPENDED");
    expect(outcomes("steady")).toContain("REVOKED");
  });
});

describe("listDemoTenants", () => {
  it("gives any number of tenants, each with a name of its own", () => {
    const names = listDemoTenants(100).map((tenant) => tenant.name);
    expect(new Set(names).size).toBe(100);
  });
});
