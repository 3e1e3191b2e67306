import type { Tx } from "@turnpike/db/client";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AccountKey } from "../accounts/accounts.store.ts";
import type { PaymentMethod, PaymentProviderName } from "./payment-provider.ts";

/** How a customer pays in one environment. */
export type MethodRow = AccountKey & PaymentMethod & { provider: PaymentProviderName; since: Date };

/** The method in force; `undefined` while there is none. */
export async function findMethod(
  tx: Tx,
  { tenantId, environment }: AccountKey,
): Promise<MethodRow | undefined> {
  const [row] = await tx<MethodRow[]>`
    select tenant_id as "tenantId", environment, provider, customer_ref as "customerRef", method_ref as "methodRef", type, brand,
      last4, expires_month as "expiresMonth", expires_year as "expiresYear", created_at as since
    from payment_methods where tenant_id = ${tenantId} and environment = ${environment}`;
  return row;
}

/** Puts a method in force. @returns False when it is in force already. */
export async function putMethod(
  tx: Tx,
  row: AccountKey & PaymentMethod & { provider: PaymentProviderName; now: Date },
): Promise<boolean> {
  const rows = await tx`
    insert into payment_methods as m (tenant_id, environment, provider, customer_ref, method_ref, type, brand, last4, expires_month,
      expires_year, created_at)
    values (${row.tenantId}, ${row.environment}, ${row.provider}, ${row.customerRef}, ${row.methodRef}, ${row.type}, ${row.brand},
      ${row.last4}, ${row.expiresMonth}, ${row.expiresYear}, ${row.now})
    on conflict (tenant_id, environment) do update
      set provider = excluded.provider, customer_ref = excluded.customer_ref, method_ref = excluded.method_ref, type = excluded.type,
        brand = excluded.brand, last4 = excluded.last4, expires_month = excluded.expires_month,
        expires_year = excluded.expires_year, created_at = excluded.created_at
      where m.provider <> excluded.provider or m.method_ref <> excluded.method_ref
    returning 1`;
  return rows.length > 0;
}

export async function deleteMethod(tx: Tx, { tenantId, environment }: AccountKey): Promise<void> {
  await tx`delete from payment_methods where tenant_id = ${tenantId} and environment = ${environment}`;
}

/** What a provider calls a customer; `undefined` until it knows them. */
export async function findCustomerRef(
  tx: Tx,
  { tenantId, environment, provider }: AccountKey & { provider: PaymentProviderName },
): Promise<string | undefined> {
  const [row] = await tx<{ customerRef: string }[]>`
    select customer_ref as "customerRef" from payment_customers
    where tenant_id = ${tenantId} and environment = ${environment} and provider = ${provider}`;
  return row?.customerRef;
}

export async function putCustomerRef(
  tx: Tx,
  row: AccountKey & { provider: PaymentProviderName; customerRef: string; now: Date },
): Promise<void> {
  await tx`
    insert into payment_customers (tenant_id, environment, provider, customer_ref, created_at)
    values (${row.tenantId}, ${row.environment}, ${row.provider}, ${row.customerRef}, ${row.now})
    on conflict (tenant_id, environment, provider) do update set customer_ref = excluded.customer_ref`;
}

/** Notes when a customer set up a method. @returns False when a later one, or the same one, was noted before. */
export async function putNewestSetUp(
  tx: Tx,
  row: AccountKey & {
    provider: PaymentProviderName;
    customerRef: string;
    setUpAt: Date;
    now: Date;
  },
): Promise<boolean> {
  const rows = await tx`
    insert into payment_customers as c (tenant_id, environment, provider, customer_ref, created_at, set_up_at)
    values (${row.tenantId}, ${row.environment}, ${row.provider}, ${row.customerRef}, ${row.now}, ${row.setUpAt})
    on conflict (tenant_id, environment, provider) do update
      set customer_ref = excluded.customer_ref, set_up_at = excluded.set_up_at
      where c.set_up_at is null or c.set_up_at < excluded.set_up_at
    returning 1`;
  return rows.length > 0;
}

/** Forgets how a tenant paid, when its data is removed. @returns Rows removed. */
export async function deleteMethods(tx: Tx, tenantId: TenantId): Promise<number> {
  const methods = await tx`delete from payment_methods where tenant_id = ${tenantId} returning 1`;
  const customers =
    await tx`delete from payment_customers where tenant_id = ${tenantId} returning 1`;
  return methods.length + customers.length;
}
