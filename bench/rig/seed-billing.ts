import { randomBytes } from "node:crypto";
import { catalogInput } from "@turnpike/contract/catalog";
import type { Sql } from "@turnpike/db/client";
import { DUNNING_DEFAULT } from "@turnpike/domain/billing/payments/dunning";
import type { TenantId } from "@turnpike/domain/ids/ids";
import {
  type BillingDeps,
  type BillingSettings,
  createBilledPlans,
} from "../../apps/server/src/modules/billing/index.ts";
import { applyCatalog } from "../../apps/server/src/modules/catalog/index.ts";
import { createTenant } from "../../apps/server/src/modules/tenants/index.ts";
import type { Clock } from "../../apps/server/src/platform/clock.ts";
import { createLogger } from "../../apps/server/src/platform/logger.ts";
import { newUuidId } from "../../apps/server/src/platform/new-id.ts";
import type { Transact } from "../../apps/server/src/platform/transact.ts";

export const OPERATOR = { actor: { type: "operator", id: "bench" }, requestId: "bench" } as const;
export const PLAN = "bench";
const METERS = 15;
const FEES = 5;
/** On the invoice of each period: a fee for the next one, or the usage of the one before. */
export const LINES = METERS + FEES;

const meterId = (place: number) => `meter-${String(place)}`;

const SETTINGS: BillingSettings = {
  seller: { name: "Bench", lines: [], country: "GB", taxId: null, email: null },
  tax: undefined,
  dunning: DUNNING_DEFAULT,
  proration: "time",
  paymentDays: 14,
  invoicePrefix: "INV",
  creditNotePrefix: "CN",
  documents: { language: "en", logo: null, font: null },
};

/** What billing needs, with a clock that is stopped at an instant. */
export function benchBilling(transact: Transact, now: Date): BillingDeps {
  const clock: Clock = { now: () => now, monotonicMs: () => performance.now() };
  return {
    transact,
    clock,
    newId: newUuidId,
    logger: createLogger({ level: "error" }),
    randomBytes: (count) => randomBytes(count),
    billing: SETTINGS,
  };
}

export const BENCH_CATALOG = catalogInput.parse({
  meters: Array.from({ length: METERS }, (_, place) => ({
    meterId: meterId(place),
    name: `Meter ${String(place)}`,
    unit: "unit",
    aggregation: "count",
  })),
  plans: [
    {
      planId: PLAN,
      name: "Bench",
      phases: [
        {
          rateCards: [
            ...Array.from({ length: FEES }, (_, place) => ({
              key: `fee-${String(place)}`,
              price: { model: "flat", amount: "9.99" },
              interval: { month: 1 },
              timing: "advance",
            })),
            ...Array.from({ length: METERS }, (_, place) => ({
              key: `use-${String(place)}`,
              meter: meterId(place),
              interval: { month: 1 },
              timing: "arrears",
              price: {
                model: "graduated",
                tiers: [
                  { upTo: "100", unitAmount: "0" },
                  { upTo: "1000", unitAmount: "0.01" },
                  { upTo: null, unitAmount: "0.004" },
                ],
              },
            })),
          ],
        },
      ],
    },
  ],
});

/** Subscribes one tenant through the product, as the pattern for all others. @returns Its id, and the end of its first period. */
export async function subscribePattern(
  { sql, transact }: { sql: Sql; transact: Transact },
  now: Date,
): Promise<{ tenantId: TenantId; periodEnd: Date }> {
  const deps = benchBilling(transact, now);
  await applyCatalog(deps, OPERATOR, BENCH_CATALOG);
  const plans = createBilledPlans(deps);
  const tenant = await createTenant({ ...deps, plans }, OPERATOR, { name: "Bench", planId: PLAN });
  const [row] = await sql<[{ periodEnd: Date }]>`
    update billing_accounts set due_at = null where tenant_id = ${tenant.tenantId} returning period_to as "periodEnd"`;
  return { tenantId: tenant.tenantId, periodEnd: row.periodEnd };
}

/** Tables of a tenant and what its copy has of its own. */
const COPIED: readonly (readonly [table: string, own: string])[] = [
  ["tenants", "'slug', new.tenant_id, 'external_id', null"],
  ["tenant_entitlements", ""],
  ["invoices", "'invoice_id', 'inv_' || new.name, 'series_number', new.place, 'number', new.name"],
  ["invoice_lines", "'invoice_id', 'inv_' || new.name"],
  ["billing_accounts", "'due_at', new.due_at"],
];

/**
 * Copies the pattern to so many tenants with an invoice behind them and usage of every meter in the period that ends. Through the API
 * that would take longer than everything that is measured.
 */
export async function seedAccounts(
  sql: Sql,
  input: { pattern: TenantId; count: number; dueAt: Date; usedAt: Date },
): Promise<string> {
  const group = randomBytes(6).toString("hex");
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      create temporary table new_tenants on commit drop as
      select 'ten_' || ${group} || lpad(n::text, 20, '0') as tenant_id, ${group} || lpad(n::text, 20, '0') as name,
        (select next from document_series where series like 'INV-%') - 1 + n as place, ${input.dueAt}::timestamptz as due_at
      from generate_series(1, ${input.count}::int) n`;
    for (const [table, own] of COPIED) {
      await tx.unsafe(
        `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${["'tenant_id', new.tenant_id", own].filter(Boolean).join(", ")}))).*
         from ${table} t, new_tenants new where t.tenant_id = '${input.pattern}'`,
      );
    }
    await tx`update document_series set next = next + ${input.count} where series like 'INV-%'`;
    await tx`
      insert into ledger_entries (tenant_id, group_id, occurred_at, recorded_at, period_start, meter_id, environment, key_id, outcome,
        status, calls, quantity)
      select new.tenant_id, 'grp_bench', ${input.usedAt}::timestamptz, now(), ${input.usedAt}::timestamptz, m.meter_id, 'live',
        'key_bench', 'VALID', 200, 10, 1 + new.place % 5000
      from new_tenants new, meters m where m.meter_id like 'meter-%'`;
  });
  for (const [table] of [...COPIED, ["ledger_entries"] as const]) {
    await sql.unsafe(`vacuum analyze ${table}`);
  }
  return `ten_${group}`;
}
