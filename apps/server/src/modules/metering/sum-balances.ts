import { compareInOrder } from "./compare-in-order.ts";
import type { BalanceRow, LedgerRow } from "./ledger.store.ts";
import { SlotBook } from "./slot-book.ts";

type BalanceFact = Omit<BalanceRow, "quantity">;

function createTenantBalances() {
  return new SlotBook<BalanceFact, BalanceRow>({
    ownerOf: (fact) => fact.tenantId,
    isOf: (row, fact) =>
      row.meterId === fact.meterId &&
      row.environment === fact.environment &&
      row.periodStartMs === fact.periodStartMs,
    nameOf: (of) => `${of.environment}|${String(of.periodStartMs)}|${of.meterId}`,
    start: (fact) => ({ ...fact, quantity: 0 }),
  });
}

/** A key has one environment, so its balances name none. */
function createKeyBalances() {
  return new SlotBook<BalanceFact, BalanceRow>({
    ownerOf: (fact) => `${fact.tenantId}|${fact.keyId ?? ""}`,
    isOf: (row, fact) => row.meterId === fact.meterId && row.periodStartMs === fact.periodStartMs,
    nameOf: (of) => `${String(of.periodStartMs)}|${of.meterId}`,
    start: (fact) => ({ ...fact, quantity: 0 }),
  });
}

function byBalanceKey(one: BalanceRow, other: BalanceRow): number {
  return (
    compareInOrder(one.tenantId, other.tenantId) ||
    compareInOrder(one.keyId ?? "", other.keyId ?? "") ||
    compareInOrder(one.meterId, other.meterId) ||
    compareInOrder(one.environment, other.environment) ||
    compareInOrder(one.periodStartMs, other.periodStartMs)
  );
}

/**
 * Sums what is billable by tenant, and by line of keys; tells it in the order in which balances are taken.
 *
 * @param isOwed - Whether the balance of a line gets what a row has later.
 */
export function createBalanceSums(isOwed: (row: LedgerRow) => boolean) {
  const tenants = createTenantBalances();
  const keys = createKeyBalances();
  return {
    add: (row: LedgerRow): void => {
      if (row.quantity > 0) {
        const { tenantId, meterId, environment, periodStartMs, periodEndMs } = row;
        const fact = { tenantId, meterId, environment, periodStartMs, periodEndMs };
        tenants.find({ ...fact, keyId: undefined }).quantity += row.quantity;
        if (!isOwed(row)) {
          keys.find({ ...fact, keyId: row.originKeyId ?? row.keyId }).quantity += row.quantity;
        }
      }
    },
    ofTenants: (): BalanceRow[] => tenants.sums.toSorted(byBalanceKey),
    ofKeys: (): BalanceRow[] => keys.sums.toSorted(byBalanceKey),
  };
}
