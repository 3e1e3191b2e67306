import { randomBytes } from "node:crypto";
import { catalogInput } from "@turnpike/contract/catalog";
import type { Sql } from "@turnpike/db/client";
import { EU_RATES } from "@turnpike/domain/billing/tax/eu-rates";
import type { TenantId } from "@turnpike/domain/ids/ids";
import {
  type BillingDeps,
  createBilledPlans,
  putBillingDetails,
  setTaxIdStatus,
} from "../../apps/server/src/modules/billing/index.ts";
import { applyCatalog } from "../../apps/server/src/modules/catalog/index.ts";
import { createTenant, updateTenant } from "../../apps/server/src/modules/tenants/index.ts";
import type { Transact } from "../../apps/server/src/platform/transact.ts";
import { BENCH_CATALOG, benchBilling, OPERATOR, PLAN } from "./seed-billing.ts";

/** Months that are seeded; the last one ends now. */
export const MONTHS = 12;

const SELLER = {
  name: "Bench GmbH",
  lines: ["Hauptstraße 1", "10115 Berlin"],
  country: "DE",
  taxId: "DE136695976",
  email: null,
};

/** Customers say who they are before they are charged. */
const FREE_ID = "bench-free";
const CATALOG = {
  ...BENCH_CATALOG,
  plans: [
    ...catalogInput.parse({
      meters: [],
      plans: [{ planId: FREE_ID, name: "Free", phases: [{ rateCards: [] }] }],
    }).plans,
    ...BENCH_CATALOG.plans,
  ],
};

/** One of each kind of tax: at home, elsewhere in the Union, by reverse charge, outside. */
const CUSTOMERS = [
  { country: "DE", taxId: null },
  { country: "FR", taxId: null },
  { country: "FR", taxId: "FR40303265045" },
  { country: "US", taxId: null },
] as const;

function taxedBilling(transact: Transact, now: Date): BillingDeps {
  const deps = benchBilling(transact, now);
  const tax = {
    ...{ country: "DE", isRegistered: true, pricesInclude: "net" as const },
    taxRates: EU_RATES,
  };
  return { ...deps, billing: { ...deps.billing, seller: SELLER, tax } };
}

/** Lets the product invoice a customer of each kind, as patterns for all others. */
export async function invoicePatterns(transact: Transact, now: Date): Promise<TenantId[]> {
  const deps = taxedBilling(transact, now);
  await applyCatalog(deps, OPERATOR, CATALOG);
  const plans = createBilledPlans(deps);
  const patterns: TenantId[] = [];
  for (const { country, taxId } of CUSTOMERS) {
    const { tenantId } = await createTenant({ ...deps, plans }, OPERATOR, {
      ...{ name: "Bench", planId: FREE_ID },
    });
    await putBillingDetails(deps, OPERATOR, {
      ...{ tenantId, companyName: "Bench SA", addressLines: ["1 High Street"], postalCode: "1000" },
      ...{ city: "Town", region: null, country, email: null, taxId },
    });
    if (taxId !== null) {
      const status = "confirmed" as const;
      await setTaxIdStatus(deps, OPERATOR, { tenantId, taxId, status, reason: "Looked up." });
    }
    await updateTenant({ ...deps, plans }, OPERATOR, { tenantId, planId: PLAN });
    patterns.push(tenantId);
  }
  return patterns;
}

/**
 * Copies the patterns to so many tenants with an invoice for each month, and with what their subscriptions bring changing every third
 * month; some leave, and some of those come back.
 */
export async function seedRevenue(
  sql: Sql,
  { patterns, count, now }: { patterns: readonly TenantId[]; count: number; now: Date },
): Promise<void> {
  const group = randomBytes(6).toString("hex");
  const months = MONTHS;
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      create temporary table copies on commit drop as
      select p.tenant_id as pattern, 'ten_' || ${group} || lpad(n::text, 20, '0') as tenant_id, n, m,
        ${group} || lpad((n * ${months} + m)::text, 20, '0') as name,
        ${now}::timestamptz - make_interval(months => ${months} - m, mins => n % 40000) as at
      from generate_series(1, ${count}::int) n, generate_series(1, ${months}::int) m,
        unnest(${[...patterns]}::text[]) with ordinality as p (tenant_id, place)
      where n % ${patterns.length} = p.place - 1`;
    for (const [table, own] of [
      [
        "invoices",
        "'invoice_id', 'inv_' || c.name, 'series_number', 1000 + c.n * 100 + c.m, 'number', c.name, 'issued_at', c.at",
      ],
      [
        "document_taxes",
        "'document_id', 'inv_' || c.name, 'invoice_id', 'inv_' || c.name, 'issued_at', c.at",
      ],
    ] as const) {
      await tx.unsafe(`
        insert into ${table}
        select (jsonb_populate_record(t, jsonb_build_object('tenant_id', c.tenant_id, ${own}))).*
        from ${table} t join copies c on t.tenant_id = c.pattern`);
    }
    await tx`
      insert into revenue_changes (tenant_id, sequence, happened_at, recorded_at, currency, amount, plan_id)
      select tenant_id, m, at, at, 'USD', case when (n + m) % 7 = 0 then 0 else 1000 + (n * m) % 5000 end, ${PLAN}
      from copies where m % 3 = 1 or n % 5 = 0`;
  });
  for (const table of ["invoices", "document_taxes", "revenue_changes"]) {
    await sql.unsafe(`vacuum analyze ${table}`);
  }
}
