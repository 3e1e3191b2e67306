import type { limits as limitsShape } from "@turnpike/contract/limits";
import type { UsageReport } from "@turnpike/contract/usage";
import { fromScaled, toScaled } from "@turnpike/domain/money/decimal";
import { periodAt } from "@turnpike/domain/time/period";
import { DAY_MS, GRAINS } from "@turnpike/domain/time/zoned-buckets";
import { OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import { reconcile } from "#modules/metering/index.ts";
import { DAY_START_MS, type Fact, PERIOD_ANCHOR, SimulatedDay } from "./simulated-day.fixture.ts";
import { EVENT_METERS, METERS } from "./simulated-day-catalog.fixture.ts";

const ZONES = ["UTC", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "America/New_York"];

let day: SimulatedDay;
beforeAll(async () => {
  day = await SimulatedDay.open();
});
afterAll(() => day.close());

function sumOf(wanted: Partial<Fact>, also: (fact: Fact) => boolean = () => true) {
  const found = day.facts.filter(
    (fact) =>
      Object.entries(wanted).every(([name, is]) => fact[name as keyof Fact] === is) && also(fact),
  );
  return {
    requests: found.length,
    denied: found.filter(({ isDenied }) => isDenied).length,
    billable: fromScaled(found.reduce((sum, { units }) => sum + units, 0n)),
  };
}

/** What a table of numbers adds up to, exactly. */
function addUp(rows: readonly { requests: number; denied: number; billable: string }[]) {
  return {
    requests: rows.reduce((sum, row) => sum + row.requests, 0),
    denied: rows.reduce((sum, row) => sum + row.denied, 0),
    billable: fromScaled(rows.reduce((sum, row) => sum + toScaled(row.billable), 0n)),
  };
}

function toNumbers(values: UsageReport["totals"]) {
  return {
    requests: Number(values["requests"]),
    denied: Number(values["denied"]),
    billable: String(values["billable"]),
  };
}

function fromCsv(text: string) {
  const [head = "", ...lines] = text.trimEnd().split("\r\n");
  const place = (name: string) => head.split(",").indexOf(name);
  return lines.map((line) => {
    const cells = line.split(",");
    return {
      requests: Number(cells[place("requests")]),
      denied: Number(cells[place("denied")]),
      billable: cells[place("billable")] ?? "",
    };
  });
}

const MEASURES = "measures=requests,denied,billable";
/** By the minute a range has at most three days. */
const NEAR = { fromMs: DAY_START_MS - DAY_MS, toMs: DAY_START_MS + 2 * DAY_MS };
const FAR = { fromMs: DAY_START_MS - 40 * DAY_MS, toMs: DAY_START_MS + 2 * DAY_MS };

describe("a simulated day", () => {
  it("has the same numbers on the dashboard, by API, in exports, in limits and in the ledger, to the unit", async () => {
    await day.run();
    for (const [what, count] of Object.entries(day.happened)) {
      expect(count, `${what}, by seed ${String(day.seed)}`).toBeGreaterThan(0);
    }

    // What a deleted tenant used is hidden, and still there.
    await day.getNothing(`/v1/tenants/${day.gone.tenantId}/usage`);
    for (const meter of METERS) {
      const whose = { tenantId: day.gone.tenantId, meter };
      const query = `meter=${meter}&${MEASURES}&tenant=${day.gone.tenantId}`;
      const report = await day.get<UsageReport>(`/v1/usage?${query}`);
      expect(sumOf(whose).requests).toBeGreaterThan(0);
      expect(toNumbers(report.totals)).toEqual(sumOf(whose));
    }
    const hidden = await reconcile(day.app.services, OPERATOR_CONTEXT);
    expect(hidden.drift, JSON.stringify(hidden.findings)).toBe(0);
    await day.restoreGone();

    for (const { tenantId, live, test } of day.customers) {
      const path = `/v1/tenants/${tenantId}`;
      for (const meter of METERS) {
        for (const grain of GRAINS) {
          const range = grain === "minute" ? NEAR : FAR;
          const expected = sumOf(
            { tenantId, meter },
            ({ occurredAtMs }) => occurredAtMs >= range.fromMs,
          );
          const span = `from=${new Date(range.fromMs).toISOString()}&to=${new Date(range.toMs).toISOString()}`;
          for (const zone of ZONES) {
            const query = `meter=${meter}&${MEASURES}&grain=${grain}&timeZone=${zone}&${span}`;
            const report = await day.get<UsageReport>(
              `${path}/usage?${query}&dimensions=key,outcome`,
            );
            const where = `${meter} by ${grain} in ${zone}, seed ${String(day.seed)}`;
            expect(toNumbers(report.totals), where).toEqual(expected);
            expect(addUp(report.rows.map((row) => toNumbers(row.values))), where).toEqual(expected);
            const csv = await day.getText(`${path}/usage.csv?${query}`);
            expect(addUp(fromCsv(csv)), where).toEqual(expected);
            if (grain !== "minute" && EVENT_METERS.includes(meter)) {
              const measure = `meter:${meter}` as const;
              const asked = `${path}/usage?measures=${measure}&grain=${grain}&timeZone=${zone}&${span}`;
              const counted = await day.get<UsageReport>(asked);
              const { billable } = expected;
              expect(counted.totals[measure], where).toBe(billable);
              const values = counted.rows.map((row) => toScaled(String(row.values[measure])));
              expect(fromScaled(values.reduce((sum, value) => sum + value, 0n)), where).toBe(
                billable,
              );
            }
          }
        }
        const all = await day.get<UsageReport>(
          `/v1/usage?meter=${meter}&${MEASURES}&tenant=${tenantId}`,
        );
        expect(toNumbers(all.totals)).toEqual(sumOf({ tenantId, meter }));
      }

      const limits = await day.get<z.infer<typeof limitsShape>>(`${path}/limits`);
      const period = periodAt(PERIOD_ANCHOR, "month", new Date(day.nowMs));
      for (const quota of limits.quotas) {
        const { meter, environment } = quota;
        const { billable } = sumOf(
          { tenantId, meter, environment },
          ({ recordedAtMs }) => recordedAtMs >= period.start.getTime(),
        );
        expect([meter, environment, toScaled(quota.used)]).toEqual([
          meter,
          environment,
          toScaled(billable),
        ]);
        if (meter === "credits" && environment === "live") {
          expect(Number(quota.locked)).toBe(day.locked.get(tenantId) ?? 0);
        }
      }

      const keys = [...live, test].map(({ keyId }) => keyId).join(",");
      const { items } = await day.get<{ items: { requests: number; denied: number }[] }>(
        `${path}/usage/keys?keys=${keys}`,
      );
      const ofRequests = sumOf({ tenantId, meter: "requests" });
      expect(items.reduce((sum, item) => sum + item.requests, 0)).toBe(ofRequests.requests);
      expect(items.reduce((sum, item) => sum + item.denied, 0)).toBe(ofRequests.denied);

      for (const meter of METERS) {
        const [row] = await day.database.sql<
          { ledger: string; minutes: string; hours: string; balances: string }[]
        >`
          select (select coalesce(sum(quantity), 0)::text from ledger_entries where tenant_id = ${tenantId} and meter_id = ${meter}) as ledger,
            (select coalesce(sum(quantity), 0)::text from usage_by_minute where tenant_id = ${tenantId} and meter_id = ${meter}) as minutes,
            (select coalesce(sum(quantity), 0)::text from usage_by_hour where tenant_id = ${tenantId} and meter_id = ${meter}) as hours,
            (select coalesce(sum(used), 0)::text from balances where tenant_id = ${tenantId} and meter_id = ${meter}) as balances`;
        const { billable } = sumOf({ tenantId, meter });
        for (const [what, units = ""] of Object.entries(row ?? {})) {
          expect([meter, what, fromScaled(toScaled(units))]).toEqual([meter, what, billable]);
        }
      }
    }
    const { drift, findings } = await reconcile(day.app.services, OPERATOR_CONTEXT);
    expect(drift, JSON.stringify(findings)).toBe(0);
  });
});
