import { smaller } from "../../money/bounds.ts";
import type { Burn } from "./invoice.ts";

export const GRANT_KINDS = ["promotional", "prepaid"] as const;
export type GrantKind = (typeof GRANT_KINDS)[number];

/** Credit of a customer. Promotional credit is a discount, before the tax; prepaid credit is a payment, after it. */
export type Grant = {
  readonly kind: GrantKind;
  /** Minor units. */
  readonly granted: bigint;
  readonly left: bigint;
  /** Lower goes first. */
  readonly priority: number;
  readonly effectiveAtMs: number;
  /** Exclusive; undefined for a grant that does not expire. */
  readonly expiresAtMs: number | undefined;
};

export function isExpired({ expiresAtMs }: Grant, atMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= atMs;
}

function compareGrants(a: Grant, b: Grant): number {
  const expiry = (grant: Grant) => grant.expiresAtMs ?? Number.MAX_SAFE_INTEGER;
  return a.priority - b.priority || expiry(a) - expiry(b) || a.effectiveAtMs - b.effectiveAtMs;
}

/**
 * Chooses which grants of a kind pay for an amount: lower priority, then earlier expiry, then earlier start, then the order of
 * granting.
 *
 * @returns What each grant gives, together at most `amount`.
 */
export function chooseGrants(
  grants: readonly Grant[],
  { kind, amount, atMs }: { kind: GrantKind; amount: bigint; atMs: number },
): Burn[] {
  const usable = [...grants.entries()]
    .filter(
      ([, grant]) =>
        grant.kind === kind &&
        grant.left > 0n &&
        grant.effectiveAtMs <= atMs &&
        !isExpired(grant, atMs),
    )
    .sort(([i, a], [j, b]) => compareGrants(a, b) || i - j);
  const burns: Burn[] = [];
  let missing = amount;
  for (const [grant, { left }] of usable) {
    const taken = smaller(left, missing);
    if (taken > 0n) {
      burns.push({ grant, amount: taken });
      missing -= taken;
    }
  }
  return burns;
}

export function sumBurns(burns: readonly Burn[]): bigint {
  return burns.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Takes burns off the grants, or gives them back with `direction` 1. */
export function moveGrants(
  grants: readonly Grant[],
  burns: readonly Burn[],
  direction: 1 | -1,
): Grant[] {
  return grants.map((grant, index) => {
    const moved = sumBurns(burns.filter((burn) => burn.grant === index));
    return moved === 0n ? grant : { ...grant, left: grant.left + BigInt(direction) * moved };
  });
}
