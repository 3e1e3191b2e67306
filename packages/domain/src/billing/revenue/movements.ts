/** How the recurring revenue of one customer changed between two instants. */
export const MOVEMENT_KINDS = [
  "new",
  "expansion",
  "contraction",
  "churned",
  "reactivated",
] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** The recurring revenue of one customer at two instants, in minor units of one currency. */
export type Movement = {
  readonly before: bigint;
  readonly after: bigint;
  /** True when the customer had recurring revenue at any time before the first instant. */
  readonly hadBefore: boolean;
};

/** @returns `undefined` when nothing has changed. */
export function movementKind({ before, after, hadBefore }: Movement): MovementKind | undefined {
  if (before === after) {
    return;
  }
  if (before === 0n) {
    return hadBefore ? "reactivated" : "new";
  }
  if (after === 0n) {
    return "churned";
  }
  return after > before ? "expansion" : "contraction";
}

/** Customers who moved in one way between two instants. `change` is below zero for contraction and churn. */
export type MovementSum = { readonly change: bigint; readonly customers: number };

/** How the recurring revenue of one currency moved between two instants. */
export type RevenueFlow = Readonly<Record<MovementKind, MovementSum>> & {
  readonly openingAmount: bigint;
  readonly openingCustomers: number;
  /** The opening and all movements. */
  readonly closingAmount: bigint;
  readonly closingCustomers: number;
};

/** Movements of several customers that are of one kind. */
export type MovementGroup = {
  readonly kind: MovementKind;
  readonly change: bigint;
  readonly customers: number;
};

const NONE: MovementSum = { change: 0n, customers: 0 };

/** Adds up what happened after an instant. Groups may name a kind more than once. */
export function flowFrom(
  opening: { amount: bigint; customers: number },
  groups: readonly MovementGroup[],
): RevenueFlow {
  const sums: Record<MovementKind, MovementSum> = {
    new: NONE,
    expansion: NONE,
    contraction: NONE,
    churned: NONE,
    reactivated: NONE,
  };
  for (const { kind, change, customers } of groups) {
    const sum = sums[kind];
    sums[kind] = { change: sum.change + change, customers: sum.customers + customers };
  }
  return {
    ...sums,
    openingAmount: opening.amount,
    openingCustomers: opening.customers,
    closingAmount: MOVEMENT_KINDS.reduce((sum, kind) => sum + sums[kind].change, opening.amount),
    closingCustomers:
      opening.customers + sums.new.customers + sums.reactivated.customers - sums.churned.customers,
  };
}

/** A share in hundredths of a per cent, rounded half up; `undefined` of nothing. */
export type BasisPoints = bigint | undefined;

function shareOf(part: bigint, whole: bigint): BasisPoints {
  return whole <= 0n ? undefined : (part * 20_000n + whole) / (2n * whole);
}

/**
 * Rates of a flow, each of what was there at its opening. Customers who came or came back since are in none of them.
 *
 * - `customerChurn`: customers who left.
 * - `revenueChurn`: recurring revenue that customers took away, by leaving or by paying less.
 * - `netRetention` (NRR): what the customers of the opening bring at its end, expansion included.
 * - `grossRetention` (GRR): the same without expansion, so at most 100 %.
 */
export function ratesOf(flow: RevenueFlow): {
  customerChurn: BasisPoints;
  revenueChurn: BasisPoints;
  netRetention: BasisPoints;
  grossRetention: BasisPoints;
} {
  const { openingAmount, openingCustomers, churned, contraction, expansion } = flow;
  const lost = -(churned.change + contraction.change);
  return {
    customerChurn: shareOf(BigInt(churned.customers), BigInt(openingCustomers)),
    revenueChurn: shareOf(lost, openingAmount),
    netRetention: shareOf(openingAmount - lost + expansion.change, openingAmount),
    grossRetention: shareOf(openingAmount - lost, openingAmount),
  };
}
