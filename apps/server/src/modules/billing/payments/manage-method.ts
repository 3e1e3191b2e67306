import type { BankAccountView, PaymentMethodView, PaymentSetup } from "@turnpike/contract/payments";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resumeAttempts } from "@turnpike/domain/billing/payments/move-money";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { writeAudit } from "#modules/audit/index.ts";
import { findTenantRow } from "#modules/tenants/index.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { lockAccount } from "../accounts/accounts.store.ts";
import { changeAccountWithin } from "../accounts/change-account.ts";
import { takeCutOff } from "../accounts/take-cut-off.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { listBillingDetails } from "../details/billing-details.store.ts";
import { PAYMENTS_CONTEXT } from "./apply-attempt.ts";
import { hurryWaiting } from "./attempts.store.ts";
import { askProvider, findProvider, requireSetup } from "./find-provider.ts";
import {
  deleteMethod,
  findCustomerRef,
  findMethod,
  type MethodRow,
  putCustomerRef,
  putMethod,
  putNewestSetUp,
} from "./methods.store.ts";
import type { PaymentMethod, PaymentProviderName } from "./payment-provider.ts";
import { toBank } from "./to-bank.ts";

type OfTenant = { tenantId: TenantId; environment: Environment };

function toMethod(row: MethodRow): PaymentMethodView {
  const { provider, type, brand, last4, expiresMonth, expiresYear, since } = row;
  return {
    provider,
    type,
    brand,
    last4,
    expiresMonth,
    expiresYear,
    since: since.toISOString(),
  };
}

function toSetup(
  deps: BillingDeps,
  { environment }: OfTenant,
  row: MethodRow | undefined,
): PaymentSetup {
  return {
    method: row === undefined ? null : toMethod(row),
    canSetUp: deps.payments?.[environment] !== undefined,
    bank: toBank(deps.billing),
  };
}

/** Gets how a tenant pays. @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`. */
export async function getPaymentMethod(
  deps: BillingDeps,
  context: CallContext,
  of: OfTenant,
): Promise<PaymentSetup> {
  assertMayInTenant(context.actor, "billing:read", of.tenantId);
  return await deps.transact.asTenant(of.tenantId, async (tx) => {
    await assertTenantExists(tx, of.tenantId);
    return toSetup(deps, of, await findMethod(tx, of));
  });
}

/**
 * Begins to set up a way to pay, on a page of the provider.
 *
 * @returns Where the browser goes; where only transfers are taken, the account that they go to.
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `CONFLICT` without a provider or without a plan, which has
 *   the currency, `PAYMENT_PROVIDER_UNAVAILABLE`.
 */
export async function setUpPaymentMethod(
  deps: BillingDeps,
  context: CallContext,
  { returnUrl, ...of }: OfTenant & { returnUrl: string },
): Promise<{ url: string | null; bank: BankAccountView | null }> {
  const { tenantId, environment } = of;
  assertMayInTenant(context.actor, "billing:write", tenantId);
  const known = await deps.transact.asOperator(async (tx) => {
    const tenant = await findTenantRow(tx, tenantId);
    if (tenant === undefined) {
      throw resourceNotFound("tenant");
    }
    const { name } = requireSetup(deps, of);
    const account = await lockAccount(tx, of);
    const [details] = await listBillingDetails(tx, [tenantId]);
    return {
      currency: account?.currency,
      name: details?.companyName ?? tenant.name,
      email: details?.email ?? null,
      customerRef: await findCustomerRef(tx, { ...of, provider: name }),
    };
  });
  const { currency, ...customer } = known;
  if (currency === undefined) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "Choose a plan first: it says in which currency you pay.",
      extensions: { reason: "no_subscription" },
    });
  }
  const provider = requireSetup(deps, of);
  const setup = await askProvider(deps, () =>
    provider.setupMethod(
      { tenantId, environment, ...customer },
      { returnUrl, cancelUrl: returnUrl, currency },
    ),
  );
  if (setup.kind === "transfer") {
    return { url: null, bank: toBank(deps.billing) };
  }
  const { url, customerRef } = setup;
  await deps.transact.asOperator((tx) =>
    putCustomerRef(tx, { ...of, provider: provider.name, customerRef, now: deps.clock.now() }),
  );
  return { url, bank: null };
}

/**
 * Puts a method in force that a customer has set up at the provider. Open invoices are collected by it, also those of which attempts
 * had stopped. A notice that comes late, of a method that was set up before the last one, changes nothing, also once that was removed.
 */
export async function putPaymentMethod(
  deps: BillingDeps,
  {
    provider,
    method,
    setUpAtMs,
    ...key
  }: OfTenant & { provider: PaymentProviderName; method: PaymentMethod; setUpAtMs: number },
): Promise<void> {
  const recordedTo = await takeCutOff(deps);
  await deps.transact.asOperator(async (tx) => {
    const account = await lockAccount(tx, key);
    const now = deps.clock.now();
    const { customerRef } = method;
    const isNewest = await putNewestSetUp(tx, {
      ...{ ...key, provider, customerRef, now },
      setUpAt: new Date(setUpAtMs),
    });
    if (!isNewest || !(await putMethod(tx, { ...key, ...method, provider, now }))) {
      return;
    }
    await hurryWaiting(tx, { ...key, now });
    const { type, brand, last4 } = method;
    await writeAudit(deps, tx, PAYMENTS_CONTEXT, {
      tenantId: key.tenantId,
      action: "payment_method.set_up",
      entityType: "tenant",
      entityId: key.tenantId,
      details: { environment: key.environment, provider, type, brand, last4 },
    });
    if (account !== undefined) {
      await changeAccountWithin(deps, tx, PAYMENTS_CONTEXT, {
        recordedTo,
        change: {
          key,
          step: (before, { atMs }) => resumeAttempts(before, atMs),
          events: [{ kind: "payment_method.set_up", details: { type, brand, last4 } }],
          noteReason: "",
        },
      });
    }
  });
}

/**
 * Forgets how a tenant pays, at the provider too.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `PAYMENT_PROVIDER_UNAVAILABLE`.
 */
export async function removePaymentMethod(
  deps: BillingDeps,
  context: CallContext,
  of: OfTenant,
): Promise<PaymentSetup> {
  const { tenantId, environment } = of;
  assertMayInTenant(context.actor, "billing:write", tenantId);
  const method = await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    return await findMethod(tx, of);
  });
  if (method !== undefined) {
    const provider = findProvider(deps, { environment, provider: method.provider });
    await askProvider(deps, async () => provider?.removeMethod?.(method));
    await deps.transact.asOperator(async (tx) => {
      await deleteMethod(tx, of);
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "payment_method.removed",
        entityType: "tenant",
        entityId: tenantId,
        details: { environment, type: method.type, last4: method.last4 },
      });
    });
  }
  return toSetup(deps, of, undefined);
}
