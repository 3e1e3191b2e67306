/** Distinct names that callers choose, bounded for each tenant and day. */
export type DailyNames = {
  /** True when the name is known today, or was learned now: a name that does not fit is not learned. */
  learn(tenantId: string, name: string, nowMs: number): boolean;
  /** True when the name was learned today. */
  has(tenantId: string, name: string, nowMs: number): boolean;
};

export type DailyNamesOptions = {
  /** Distinct names of one tenant in a day. */
  perTenantMax: number;
  /** The first of them, which no other tenant can take. */
  reservedPerTenant: number;
  /** Names of all tenants together beyond the reserved ones, which bounds memory. */
  sharedMax: number;
};

const DAY_MS = 24 * 3600 * 1000;

/**
 * Makes the names that this process has seen today (UTC). It bounds the number of rollups when callers can choose a name at will.
 * Every day starts empty, so that what filled it does not keep out new names.
 */
export function createDailyNames(options: DailyNamesOptions): DailyNames {
  const namesOf = new Map<string, Set<string>>();
  let shared = 0;
  let day = Number.NaN;

  function startDay(nowMs: number): void {
    const today = Math.floor(nowMs / DAY_MS);
    if (today !== day) {
      day = today;
      shared = 0;
      namesOf.clear();
    }
  }

  function add(tenantId: string, known: Set<string> | undefined, name: string): boolean {
    const own = known?.size ?? 0;
    const isReserved = own < options.reservedPerTenant;
    if (own >= options.perTenantMax || (!isReserved && shared >= options.sharedMax)) {
      return false;
    }
    shared += isReserved ? 0 : 1;
    if (known === undefined) {
      namesOf.set(tenantId, new Set([name]));
    } else {
      known.add(name);
    }
    return true;
  }

  return {
    learn(tenantId, name, nowMs) {
      startDay(nowMs);
      const known = namesOf.get(tenantId);
      return known?.has(name) === true || add(tenantId, known, name);
    },
    has(tenantId, name, nowMs) {
      startDay(nowMs);
      return namesOf.get(tenantId)?.has(name) === true;
    },
  };
}
