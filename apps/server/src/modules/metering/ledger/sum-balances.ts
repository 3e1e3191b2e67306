import type { KeyId } from "@turnpike/domain/ids/ids";
import { compareInOrder } from "./compare-in-order.ts";
import type { BalanceRow, LedgerRow } from "./ledger.store.ts";
import { SumRegistry } from "./sum-registry.ts";

type BalanceFact = Omit<BalanceRow, "quantity">;

function createTenantBalances() {
  return new SumRegistry<BalanceFact, BalanceRow>({
    ownerOf: (fact) => fact.tenantId,
    isOf: (row, fact) =>
      row.meterId === fact.meterId &&
      row.environment === fact.environment &&
      row.periodStartMs === fact.periodStartMs,
    nameOf: (of) => `${of.environment}|${String(of.periodStartMs)}|${of.meterId}`,
    start: (fact) => ({ ...fact, quantity: 0 }),
  });
}

/** A key belongs to one environment, so its balances have no environment. */
function createKeyBalances() {
  return new SumRegistry<BalanceFact, BalanceRow>({
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

export type BalanceSums = {
  add(row: LedgerRow): void;
  /** In the order in which balances are locked. */
  inOrder(): BalanceRow[];
};

function createSums(
  registry: SumRegistry<BalanceFact, BalanceRow>,
  keyOf: (row: LedgerRow) => KeyId | undefined,
): BalanceSums {
  return {
    add: (row) => {
      if (row.quantity > 0) {
        const { tenantId, meterId, environment, periodStartMs, periodEndMs } = row;
        const fact = { tenantId, meterId, environment, periodStartMs, periodEndMs };
        registry.find({ ...fact, keyId: keyOf(row) }).quantity += row.quantity;
      }
    },
    inOrder: () => registry.sums.toSorted(byBalanceKey),
  };
}

/** Sums billable units by tenant. */
export const createTenantSums = (): BalanceSums =>
  createSums(createTenantBalances(), () => undefined);

/** Sums billable units by line of keys. */
export const createKeySums = (): BalanceSums =>
  createSums(createKeyBalances(), (row) => row.originKeyId ?? row.keyId);
