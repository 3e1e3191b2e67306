import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { LeaseId, TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { findEntitlement } from "#modules/entitlements/index.ts";
import { type HardLimit, type Metering, NO_LIMIT, startMetering } from "#modules/metering/index.ts";
import { createTenant } from "#modules/tenants/index.ts";
import { CHANGES_CHANNEL, createChangeFeed } from "#platform/change-feed.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createListen } from "#platform/postgres-listen.ts";
import { createBilledPlans } from "../billed-plans.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { closeAccounts } from "../closing/close-due.ts";
import { TEST_BILLING } from "../testing/billing.fixture.ts";
import { CAPPED_METERS } from "./spend-cap.fixture.ts";

const NEXT_MONTH_MS = 32 * 24 * 3600 * 1000;
const PROCESSES = 3;

/** Processes that let calls through under limits in money, on one database. */
export type SpendingProcesses = Awaited<ReturnType<typeof startSpendingProcesses>>;

export async function startSpendingProcesses(database: TestDatabase) {
  const disposables = new AsyncDisposableStack();
  const services = createLiveServices(database);
  const deps: BillingDeps = { ...services, billing: TEST_BILLING };
  const folder = disposables.use(await makeTempFolder());
  const feed = createChangeFeed({
    ...services,
    listen: createListen(database.target, CHANGES_CHANNEL),
  });
  const processes: Metering[] = [];
  for (let place = 0; place < PROCESSES; place += 1) {
    const own = join(folder.path, String(place));
    await mkdir(own);
    const metering = await startMetering({ ...services, folder: own }, { groupIntervalMs: 5 });
    disposables.defer(() => metering.stop(10_000));
    feed.subscribe(metering.applyChange);
    processes.push(metering);
  }
  await feed.start();
  disposables.defer(() => feed.stop());

  async function makeTenant(planId: string): Promise<TenantId> {
    const plans = createBilledPlans(deps);
    const input = { name: "Spending", planId };
    return (await createTenant({ ...deps, plans }, OPERATOR_CONTEXT, input)).tenantId;
  }

  /** What the gateway asks leases for: it learns of a changed limit by its time. */
  async function limitsOf(
    tenantId: TenantId,
    environment: Environment = "live",
  ): Promise<HardLimit[]> {
    const entitlement = await deps.transact.asOperator((tx) => findEntitlement(tx, tenantId));
    const { spendCap, sandboxSpend } = entitlement ?? {};
    const { changedAtMs = 0 } = (environment === "live" ? spendCap : sandboxSpend) ?? {};
    const now = deps.clock.now();
    return CAPPED_METERS.map((meterId) => ({
      tenantId,
      meterId,
      environment,
      periodStartMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth()),
      periodEndMs: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1),
      limit: NO_LIMIT,
      changedAtMs,
      isRecent: true,
    }));
  }

  function record({ recorder }: Metering, limit: HardLimit, leaseId?: LeaseId): void {
    recorder.record({
      ...limit,
      keyId: newUuidId("key"),
      outcome: "VALID",
      status: 200,
      method: "GET",
      route: "/",
      occurredAtMs: deps.clock.now().getTime(),
      quantity: 1,
      leaseId,
    });
  }

  /** Makes calls in every process as if it has heard of no limit in money yet: without leases. */
  function callUnasked(limit: HardLimit, calls: number): void {
    for (const process of processes) {
      for (let count = 0; count < calls; count += 1) {
        record(process, limit);
      }
    }
  }

  /** Makes one call in one process. @returns False when it is refused. */
  async function call(process: Metering, limit: HardLimit): Promise<boolean> {
    const { leases } = process;
    for (;;) {
      const result = leases.spend(limit, 1);
      if (result.status === "exhausted") {
        return false;
      }
      if (result.status === "spent") {
        record(process, limit, result.hold.lease.leaseId);
        leases.settle(result.hold);
        return true;
      }
      await leases.refill(limit, 1);
    }
  }

  /** Calls in every process at once, of every meter, until each was refused. @returns Units that passed. */
  async function callUntilRefused(limits: readonly HardLimit[]): Promise<number> {
    const counts = await Promise.all(
      processes.flatMap((process) =>
        limits.map(async (limit) => {
          let passed = 0;
          while (await call(process, limit)) {
            passed += 1;
          }
          return passed;
        }),
      ),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Commits what was used, and gives back what is held. */
  async function settle(): Promise<void> {
    for (const { leases, recorder } of processes) {
      await recorder.flush();
      leases.release(undefined);
      await leases.returnRetired(() => recorder.flush());
    }
  }

  /** Spends all that a limit leaves: what a process held without a call for it is free the second time. */
  async function spendAll(tenantId: TenantId, environment?: Environment): Promise<number> {
    const limits = await limitsOf(tenantId, environment);
    let passed = await callUntilRefused(limits);
    await settle();
    passed += await callUntilRefused(limits);
    await settle();
    return passed;
  }

  /** Closes the month. @returns What it came to, in cents, with the kinds of its lines. */
  async function closeMonth(tenantId: TenantId) {
    const now = new Date(deps.clock.now().getTime() + NEXT_MONTH_MS);
    const later = { ...deps, clock: { ...deps.clock, now: () => now } };
    await closeAccounts(later, [{ tenantId, environment: "live" }], now);
    const rows = await database.sql<{ kind: string; amount: number; quantity: number }[]>`
      select l.kind, l.amount::float8 as amount, l.quantity::float8 as quantity
      from invoice_lines l join invoices using (invoice_id)
      where l.tenant_id = ${tenantId} and l.kind <> 'topUp'
        and l.from_at < ${new Date(now.getTime() - NEXT_MONTH_MS + 24 * 3600 * 1000)}
      order by l.invoice_id, l.line`;
    const charged = rows.reduce((sum, { amount }) => sum + amount, 0);
    const units = rows.reduce((sum, row) => sum + (row.kind === "usage" ? row.quantity : 0), 0);
    return { charged, units, kinds: [...new Set(rows.map(({ kind }) => kind))] };
  }

  return {
    ...{
      deps,
      processes,
      makeTenant,
      limitsOf,
      call,
      callUnasked,
      callUntilRefused,
      settle,
      spendAll,
    },
    closeMonth,
    close: () => disposables.disposeAsync(),
  };
}
