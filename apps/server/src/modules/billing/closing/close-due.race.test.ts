import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { IS_SOAK } from "@turnpike/testkit/soak";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { takeCutOff } from "../accounts/take-cut-off.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { findViolations } from "../simulation/find-violations.fixture.ts";
import { confirmAction } from "../subscriptions/confirm-action.ts";
import { quoteAction } from "../subscriptions/quote-action.ts";
import { act, openPricedBilling, recordUsage } from "../testing/billing.fixture.ts";
import { runBillingProgram } from "../testing/run-billing-program.fixture.ts";
import { closeDue } from "./close-due.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The more workers at once, the more they meet. */
const WORKERS = 8;
/** Each takes a second of a core to start. */
const PROCESSES = IS_SOAK ? 8 : 2;
const ACCOUNTS = IS_SOAK ? 200 : 10;

let database: TestDatabase;
let services: TestServices;
let deps: TestServices & BillingDeps;
beforeAll(async () => {
  ({ database, services, deps } = await openPricedBilling());
});
afterAll(() => database.close());

/** Moves the clock to so many minutes after the end of a tenant's period. @returns That end. */
async function advanceToEnd(tenantId: TenantId | undefined, minutes: number): Promise<number> {
  const [row] = await database.sql<[{ to: Date }?]>`
    select period_to as "to" from billing_accounts where tenant_id = ${tenantId ?? ""}`;
  const endMs = row?.to.getTime() ?? 0;
  services.clock.advance(endMs + minutes * MINUTE_MS - services.clock.now().getTime());
  return endMs;
}

async function subscribeMany(count: number, name: string): Promise<TenantId[]> {
  const tenants: TenantId[] = [];
  for (let place = 0; place < count; place += 1) {
    const { tenantId } = await createTestTenant(services, `${name} ${String(place)}`);
    await act(deps, { tenantId }, { do: "subscribe", planId: "metered" });
    tenants.push(tenantId);
  }
  return tenants;
}

async function countInvoices(tenants: readonly TenantId[]): Promise<number[]> {
  const rows = await database.sql<{ count: number }[]>`
    select count(i.invoice_id)::int as count from unnest(${[...tenants]}::text[]) as asked (tenant_id)
      left join invoices i using (tenant_id) group by tenant_id`;
  return rows.map(({ count }) => count);
}

async function expectWhole(tenants: readonly TenantId[]): Promise<void> {
  expect(await findViolations(database.sql, tenants)).toEqual([]);
}

describe("guarantee: one effect, of any work at once", () => {
  it("closings started eight times over many due accounts issue one invoice for each", async () => {
    const tenants = await subscribeMany(ACCOUNTS, "Due");
    for (const tenantId of tenants) {
      await recordUsage(services, { tenantId, at: services.clock.now(), quantity: 150 });
    }
    await advanceToEnd(tenants[0], 2);
    const runs = await Promise.all(Array.from({ length: WORKERS }, () => closeDue(deps)));
    // One that was listed before another run closed it, and read after, is looked at again: for nothing.
    expect(runs.reduce((sum, { closed }) => sum + closed, 0)).toBeGreaterThanOrEqual(ACCOUNTS);
    expect(await countInvoices(tenants)).toEqual(tenants.map(() => 2));
    expect(await closeDue(deps)).toEqual({ due: 0, closed: 0 });
    await expectWhole(tenants);
  });

  it("confirmations of one quote charge once", async () => {
    const [tenantId] = await subscribeMany(1, "Twice");
    if (tenantId === undefined) {
      throw new Error("No tenant was made.");
    }
    const input = {
      tenantId,
      environment: "live" as const,
      action: { do: "change" as const, planId: "pro", when: "now" as const },
    };
    const { at, hash } = await quoteAction(deps, OPERATOR_CONTEXT, input);
    const answers = await Promise.allSettled(
      Array.from({ length: WORKERS }, () =>
        confirmAction(deps, OPERATOR_CONTEXT, { ...input, at, hash }),
      ),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: "fulfilled", value: { planId: "pro" } });
    }
    const [row] = await database.sql<[{ asked: number }]>`
      select count(*)::int as asked from billing_events where tenant_id = ${tenantId} and kind = 'asked.change'`;
    expect(row.asked).toBe(1);
    await expectWhole([tenantId]);
  });

  it("a confirmation against a closing is made before it, or refused with a new quote", async () => {
    const tenants = await subscribeMany(IS_SOAK ? 40 : 4, "Meets");
    await advanceToEnd(tenants[0], -1);
    const quoted = await Promise.all(
      tenants.map(async (tenantId) => {
        const input = {
          tenantId,
          environment: "live" as const,
          action: { do: "cancel" as const, when: "now" as const },
        };
        const { at, hash } = await quoteAction(deps, OPERATOR_CONTEXT, input);
        return { ...input, at, hash };
      }),
    );
    services.clock.advance(4 * MINUTE_MS);
    const [, ...answers] = await Promise.all([
      closeDue(deps),
      ...quoted.map((input) =>
        confirmAction(deps, OPERATOR_CONTEXT, input).then(
          ({ life }) => life,
          (error: unknown) => (error instanceof AppError ? error.code : error),
        ),
      ),
    ]);
    await closeDue(deps);
    const counts = await Promise.all(tenants.map((tenantId) => countInvoices([tenantId])));
    for (const [place, answer] of answers.entries()) {
      // Before the boundary there is no new period; after it there is one, and the old quote no longer holds.
      expect([answer, counts[place]]).toEqual(
        answer === "ended" ? ["ended", [1]] : ["QUOTE_CHANGED", [2]],
      );
    }
    await expectWhole(tenants);
  });

  it("processes that close while usage is written bill every unit on one invoice", async () => {
    const tenants = await subscribeMany(ACCOUNTS, "Busy");
    const endMs = await advanceToEnd(tenants[0], 3);
    let isOver = false;
    let written = 0;
    const write = async (writer: number) => {
      for (let count = 0; !isOver; count += 1) {
        const tenantId = tenants[(count * 3 + writer) % tenants.length];
        if (tenantId !== undefined) {
          const at = new Date(endMs + ((count % 3) - 1) * MINUTE_MS);
          await recordUsage(services, { tenantId, at, quantity: 1 + (count % 7) });
          written += 1 + (count % 7);
        }
      }
    };
    const order = {
      target: database.target,
      now: services.clock.now().toISOString(),
      task: { close: 3 },
      killAt: 0,
    };
    const writers = [write(0), write(1), write(2)];
    await Promise.all(Array.from({ length: PROCESSES }, () => runBillingProgram(order))).finally(
      () => {
        isOver = true;
      },
    );
    await Promise.all(writers);
    expect(await countInvoices(tenants)).toEqual(tenants.map(() => 2));
    await expectWhole(tenants);
    services.clock.advance(32 * DAY_MS);
    await closeDue(deps);
    await expectWhole(tenants);
    const [row] = await database.sql<[{ billed: number }]>`
      select sum(quantity)::int as billed from invoice_lines
      where tenant_id = any(${tenants}::text[]) and kind in ('usage', 'late')`;
    expect(row.billed).toBe(written);
  });

  it("a cut-off that usage holds up is taken again", async () => {
    const held = Promise.withResolvers<void>();
    const refused: unknown[] = [];
    const locked = Promise.withResolvers<void>();
    const holding = database.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock_shared(7163031)`;
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const asMeter: typeof deps.transact.asMeter = async (work) => {
      try {
        return await deps.transact.asMeter(work);
      } catch (error) {
        refused.push(error);
        held.resolve();
        await holding;
        throw error;
      }
    };
    const before = await takeCutOff({ ...deps, transact: { ...deps.transact, asMeter } });
    expect(refused).toMatchObject([{ code: "55P03" }]);
    expect((await takeCutOff(deps)).getTime()).toBeGreaterThanOrEqual(before.getTime());
  });
});
