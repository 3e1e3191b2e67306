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
  /** `Invoice.topUp` of what was paid for it; undefined for what the operator gave. */
  readonly topUp: string | undefined;
  /** What was taken back because its invoice was refunded or credited. */
  readonly withdrawn: bigint;
};

export const CREDIT_ENTRY_KINDS = ["granted", "burned", "returned", "expired", "revoked"] as const;
export type CreditEntryKind = (typeof CREDIT_ENTRY_KINDS)[number];

/** What happened to a grant. What is left of it is the sum of its entries. */
export type CreditEntry = {
  /** Index of the grant. */
  readonly grant: number;
  readonly kind: CreditEntryKind;
  /** Minor units; below 0 for what is taken from the grant. */
  readonly amount: bigint;
  readonly atMs: number;
  /** Index of the invoice that it was burned on, returned by, or paid for by. */
  readonly invoice: number | undefined;
};

/** Credit of an account: what it has, and what has happened to it since the account was loaded. */
export type Credit = {
  readonly grants: readonly Grant[];
  readonly entries: readonly CreditEntry[];
};

export function isExpired({ expiresAtMs }: Grant, atMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= atMs;
}

/**
 * True for credit that can pay at an instant.
 *
 * @param input.sinceMs - Since when what it pays for has drawn on it: it must not have expired by then.
 */
export function isUsable(
  grant: Grant,
  { atMs, sinceMs }: { atMs: number; sinceMs: number },
): boolean {
  return grant.left > 0n && grant.effectiveAtMs <= atMs && !isExpired(grant, sinceMs);
}

type BurnOrder = Pick<Grant, "priority" | "expiresAtMs" | "effectiveAtMs">;

/** The order in which grants of a kind are burned, apart from that of granting. */
export function compareGrants(a: BurnOrder, b: BurnOrder): number {
  const expiry = (grant: BurnOrder) => grant.expiresAtMs ?? Number.MAX_SAFE_INTEGER;
  return a.priority - b.priority || expiry(a) - expiry(b) || a.effectiveAtMs - b.effectiveAtMs;
}

/**
 * Chooses which grants of a kind pay for an amount: lower priority, then earlier expiry, then earlier start, then the order of
 * granting.
 *
 * @param input.sinceMs - See {@link isUsable}; left out: `atMs`.
 * @returns What each grant gives, together at most `amount`.
 */
export function chooseGrants(
  grants: readonly Grant[],
  {
    kind,
    amount,
    atMs,
    sinceMs = atMs,
  }: { kind: GrantKind; amount: bigint; atMs: number; sinceMs?: number },
): Burn[] {
  const usable = [...grants.entries()]
    .filter(([, grant]) => grant.kind === kind && isUsable(grant, { atMs, sinceMs }))
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

/** Burns as entries: taken from their grants, or given back to them. */
export function toEntries(
  burns: readonly Burn[],
  { kind, atMs, invoice }: { kind: "burned" | "returned"; atMs: number; invoice: number },
): CreditEntry[] {
  return burns.map(({ grant, amount }) => ({
    grant,
    kind,
    amount: kind === "burned" ? -amount : amount,
    atMs,
    invoice,
  }));
}

/** Writes entries: each moves what is left of its grant. */
export function moveCredit({ grants, entries }: Credit, moves: readonly CreditEntry[]): Credit {
  if (moves.length === 0) {
    return { grants, entries };
  }
  const moved = [...grants];
  for (const { grant: index, kind, amount, invoice } of moves) {
    const grant = moved[index];
    if (grant !== undefined) {
      const isWithdrawn = kind === "revoked" && invoice !== undefined;
      const withdrawn = isWithdrawn ? grant.withdrawn - amount : grant.withdrawn;
      moved[index] = { ...grant, left: grant.left + amount, withdrawn };
    }
  }
  return { grants: moved, entries: [...entries, ...moves] };
}

/** Adds a grant, with its first entry. */
export function addGrant(
  { grants, entries }: Credit,
  grant: Omit<Grant, "left" | "withdrawn">,
  { atMs, invoice }: { atMs: number; invoice?: number },
): Credit {
  const first: CreditEntry = {
    grant: grants.length,
    kind: "granted",
    amount: grant.granted,
    atMs,
    invoice,
  };
  return moveCredit({ grants: [...grants, { ...grant, left: 0n, withdrawn: 0n }], entries }, [
    first,
  ]);
}

/**
 * Takes what is left of grants that have expired. Credit that comes back to one later expires when it comes back.
 *
 * @param sinceMs - Since when usage draws on credit that expires meanwhile, see {@link isUsable}.
 */
export function expireCredit(credit: Credit, atMs: number, sinceMs: number = atMs): Credit {
  const expired = [...credit.grants.entries()].filter(
    ([, grant]) => grant.left > 0n && isExpired(grant, sinceMs),
  );
  return moveCredit(
    credit,
    expired.map(([grant, { left, expiresAtMs = atMs }]) => {
      const lastMs = credit.entries.findLast((entry) => entry.grant === grant)?.atMs;
      return {
        grant,
        kind: "expired",
        amount: -left,
        atMs: Math.max(expiresAtMs, lastMs ?? expiresAtMs),
        invoice: undefined,
      };
    }),
  );
}

/** When credit next expires; `undefined` when none does. */
export function nextExpiryMs(grants: readonly Grant[]): number | undefined {
  const instants = grants.flatMap(({ left, expiresAtMs }) =>
    left > 0n && expiresAtMs !== undefined ? [expiresAtMs] : [],
  );
  return instants.length === 0 ? undefined : Math.min(...instants);
}
