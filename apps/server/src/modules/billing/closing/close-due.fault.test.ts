import type { TenantId } from "@turnpike/domain/ids/ids";
import { IS_SOAK } from "@turnpike/testkit/soak";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BillingDeps } from "../billing-deps.ts";
import { findViolations } from "../simulation/find-violations.fixture.ts";
import { type ConfirmInput, confirmAction } from "../subscriptions/confirm-action.ts";
import { quoteAction } from "../subscriptions/quote-action.ts";
import { act, openPricedBilling, recordUsage } from "../testing/billing.fixture.ts";
import { countPoints, Interrupted } from "../testing/interrupt.fixture.ts";
import { runBillingProgram } from "../testing/run-billing-program.fixture.ts";
import { closeDue } from "./close-due.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Kills of a process take a second each: the long run has one at every point. */
const KILLS = 2;

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  ({ database, services, deps } = await openPricedBilling());
});
afterAll(() => database.close());

/** A tenant in its first period, with usage. */
async function subscribe(name: string): Promise<TenantId> {
  const { tenantId } = await createTestTenant(services, name);
  await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
  await recordUsage(services, { tenantId, at: services.clock.now(), quantity: 150 });
  services.clock.advance(DAY_MS);
  return tenantId;
}

/** A tenant whose period has ended. */
async function becomeDue(name: string): Promise<TenantId> {
  const tenantId = await subscribe(name);
  services.clock.advance(31 * DAY_MS);
  return tenantId;
}

async function quoteChange(tenantId: TenantId): Promise<ConfirmInput> {
  const action = { do: "change" as const, planId: "pro", when: "now" as const };
  const input = { tenantId, environment: "live" as const, action };
  const { at, hash } = await quoteAction(deps, OPERATOR_CONTEXT, input);
  return { ...input, at, hash };
}

/** Everything that billing has of a tenant, and the numbers given out. */
async function readAll(tenantId: TenantId): Promise<string> {
  const tables = [
    "billing_accounts",
    "billing_events",
    "billed_periods",
    "invoices",
    "invoice_lines",
    "credit_notes",
    "tenant_entitlements",
    "audit_entries",
    "document_series",
  ];
  const selects = tables.map((table) => {
    const own = table === "document_series" ? "true" : `tenant_id = '${tenantId}'`;
    return `select '${table}' as "table", to_jsonb(t) as row from ${table} t where ${own}`;
  });
  return JSON.stringify(await database.sql.unsafe(`${selects.join(" union all ")} order by 1, 2`));
}

/** Runs an attempt that ends at each point in turn, until one passes all of them: all of its effect is there, or nothing. */
async function tryAtEachPoint(
  tenantId: TenantId,
  attempt: (killAt: number) => Promise<{ isDone: boolean }>,
): Promise<number> {
  const before = await readAll(tenantId);
  for (let killAt = 1; ; killAt += 1) {
    const { isDone } = await attempt(killAt);
    const after = await readAll(tenantId);
    if (isDone || after !== before) {
      // Where it ended after its commit, running it again must change nothing.
      expect(after).not.toBe(before);
      expect(await findViolations(database.sql, [tenantId])).toEqual([]);
      await attempt(0);
      expect(await readAll(tenantId)).toBe(after);
      return killAt;
    }
  }
}

function interruptedAt(killAt: number): TestServices & BillingDeps {
  const { transact } = countPoints(database.sql, (count) => {
    if (count === killAt) {
      throw new Interrupted();
    }
  });
  return { ...deps, transact };
}

describe("guarantee: what ends between two statements has done all or nothing", () => {
  it("of a closing", async () => {
    const tenantId = await becomeDue("Closing");
    const points = await tryAtEachPoint(tenantId, async (killAt) => {
      const { closed } = await closeDue(interruptedAt(killAt)).catch(() => ({ closed: 0 }));
      return { isDone: closed === 1 };
    });
    expect(points).toBeGreaterThan(20);
  });

  it("of a confirmation, which can be sent again", async () => {
    const tenantId = await subscribe("Confirming");
    const input = await quoteChange(tenantId);
    const points = await tryAtEachPoint(tenantId, async (killAt) => {
      try {
        await confirmAction(interruptedAt(killAt), OPERATOR_CONTEXT, input);
        return { isDone: true };
      } catch (error) {
        expect(error).toBeInstanceOf(Interrupted);
        return { isDone: false };
      }
    });
    expect(points).toBeGreaterThan(20);
  });

  it("of a process that is killed while it closes, or while it confirms", async () => {
    const now = () => services.clock.now().toISOString();
    const { target } = database;
    for (const kind of ["close", "confirm"] as const) {
      const isClosing = kind === "close";
      const tenantId = await (isClosing ? becomeDue : subscribe)(`Killed ${kind}`);
      const task = isClosing ? { close: 1 } : { confirm: await quoteChange(tenantId) };
      const order = { target, now: now(), task };
      const before = await readAll(tenantId);
      const last = IS_SOAK ? 200 : KILLS;
      let isKilled = true;
      for (let kill = 1; kill <= last && isKilled; kill += 1) {
        // The short run kills in the middle of what is written.
        const killAt = IS_SOAK ? kill : 24 + 7 * kill;
        isKilled = (await runBillingProgram({ ...order, killAt })) === undefined;
        if ((await readAll(tenantId)) !== before) {
          break;
        }
      }
      expect(await runBillingProgram({ ...order, killAt: 0 })).toBeDefined();
      const done = await readAll(tenantId);
      expect(done).not.toBe(before);
      expect(await findViolations(database.sql, [tenantId])).toEqual([]);
      await runBillingProgram({ ...order, killAt: 0 });
      expect(await readAll(tenantId)).toBe(done);
    }
  });
});
