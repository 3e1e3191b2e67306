import { SPEND_SHARES_DEFAULT, type SpendCap } from "@turnpike/contract/spend-cap";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { formatMinor } from "@turnpike/domain/money/currency";
import { findEntitlement } from "#modules/entitlements/index.ts";
import { findSpendState } from "#modules/metering/index.ts";
import { listAccounts } from "../accounts/accounts.store.ts";
import type { BillingDeps } from "../billing-deps.ts";
import { currencyOf } from "../invoices/to-invoice.ts";
import { capOf } from "./cap-of.ts";
import { findSpendCap, type SpendCapRow } from "./spend-caps.store.ts";

/** The cap of a tenant that has set none. @throws {AppError} `RESOURCE_NOT_FOUND` (tenant). */
export async function readSpendCapRow(tx: Tx, tenantId: TenantId): Promise<SpendCapRow> {
  const entitlement = await findEntitlement(tx, tenantId);
  if (entitlement === undefined) {
    throw resourceNotFound("tenant");
  }
  const found = await findSpendCap(tx, tenantId);
  if (found !== undefined) {
    return found;
  }
  const [account] = await listAccounts(tx, [{ tenantId, environment: "live" }]);
  return {
    currency: account?.currency ?? entitlement.terms.currency,
    tenantCap: null,
    operatorCap: null,
    shares: SPEND_SHARES_DEFAULT,
    updatedAt: null,
  };
}

/** @throws {AppError} `RESOURCE_NOT_FOUND` (tenant). */
export async function readSpendCap(tx: Tx, tenantId: TenantId): Promise<SpendCap> {
  const row = await readSpendCapRow(tx, tenantId);
  const currency = currencyOf(row.currency);
  const state = await findSpendState(tx, tenantId);
  const toMoney = (minor: bigint) => formatMinor(minor, currency);
  const toMoneyOrNull = (minor: bigint | null | undefined) =>
    minor === null || minor === undefined ? null : toMoney(minor);
  return {
    tenantId,
    currency: row.currency,
    cap: toMoneyOrNull(capOf(row)),
    tenantCap: toMoneyOrNull(row.tenantCap),
    operatorCap: toMoneyOrNull(row.operatorCap),
    shares: [...row.shares],
    period:
      state === undefined
        ? null
        : {
            from: state.periodFrom.toISOString(),
            to: state.periodTo.toISOString(),
            fees: toMoney(state.fees),
            spent: toMoney(state.spent),
            reserved: toMoney(state.reserved),
            isReached: state.isReached,
            meters: state.meters.map(({ meterId, unitsLeft }) => ({
              meter: meterId,
              unitsLeft: unitsLeft.toString(),
            })),
          },
    updatedAt: row.updatedAt?.toISOString() ?? null,
  };
}

/** Gets the spend cap of a tenant and what counts against it. @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`. */
export async function getSpendCap(
  deps: Pick<BillingDeps, "transact">,
  context: CallContext,
  { tenantId }: { tenantId: TenantId },
): Promise<SpendCap> {
  assertMayInTenant(context.actor, "billing:read", tenantId);
  return await deps.transact.asTenant(tenantId, (tx) => readSpendCap(tx, tenantId));
}
