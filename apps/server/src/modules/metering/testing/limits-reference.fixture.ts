import type { TenantId } from "@turnpike/domain/ids/ids";
import type { AppServices } from "#platform/app-services.ts";

export type ModelKey = {
  keyId: string;
  key: string;
  /** The first of its line. */
  originKeyId: string;
  quota: number | undefined;
};

export type ModelTenant = {
  tenantId: TenantId;
  /** Undefined: no hard limit. */
  limit: number | undefined;
  keys: ModelKey[];
  /** True while calls admitted without a limit may not be in the ledger yet. */
  isUncovered: boolean;
  /** True once a process was killed meanwhile: calls that it admitted and did not journal are lost, and no lease holds them. */
  hasLost: boolean;
};

type Count = { admitted: number };
type Taken = { used: number; held: number; forfeited: number };
type TakenRow = Taken & { owner: string; period: number };

const NOTHING: Taken = { used: 0, held: 0, forfeited: 0 };

/** What processes answered, to compare with the database. Periods are named by their start, epoch milliseconds. */
export class LimitsReference {
  /** Units admitted, by tenant or line of keys and period. */
  readonly #counts = new Map<string, Count>();
  /** Units that may have been admitted because an answer was lost, by tenant, line of keys or process, in any period. */
  readonly #unknown = new Map<string, number>();
  /** The most that the database may count for a balance, given the limits so far. */
  readonly #ceilings = new Map<string, number>();
  /** Units billed, by process. */
  readonly byProcess = new Map<string, Count>();
  readonly tenants: ModelTenant[] = [];

  countOf(owner: string, period: number): Count {
    const name = `${owner}|${String(period)}`;
    const count = this.#counts.get(name) ?? { admitted: 0 };
    this.#counts.set(name, count);
    return count;
  }

  ofProcess(processId: string): Count {
    const count = this.byProcess.get(processId) ?? { admitted: 0 };
    this.byProcess.set(processId, count);
    return count;
  }

  addUnknown(owner: string, units: number): void {
    this.#unknown.set(owner, this.unknownOf(owner) + units);
  }

  unknownOf(owner: string): number {
    return this.#unknown.get(owner) ?? 0;
  }

  /** Forgets calls that were admitted without a limit and lost: nothing was held for them. */
  forgetLost(owner: string, period: number, { used, held }: Taken): void {
    const count = this.countOf(owner, period);
    count.admitted = Math.min(count.admitted, used + held);
  }

  /** Applies a new limit, which may be reached from now on. A lower one counts only once every process has heard of it. */
  raise(owner: string, period: number, limit: number): void {
    const name = `${owner}|${String(period)}`;
    this.#ceilings.set(name, Math.max(limit, this.#ceilings.get(name) ?? 0));
  }

  /** Applies a limit that every process has heard of: nothing is granted beyond it any more. */
  lower(owner: string, period: number, input: { limit: number; taken: Taken }): void {
    const { used, held } = input.taken;
    const name = `${owner}|${String(period)}`;
    const before = this.#ceilings.get(name) ?? 0;
    this.#ceilings.set(name, Math.max(input.limit, Math.min(before, used + held)));
  }

  ceilingOf(owner: string, period: number): number {
    return this.#ceilings.get(`${owner}|${String(period)}`) ?? 0;
  }
}

/** Reads every balance and what leases hold of it, in one snapshot. */
export async function readTaken(services: AppServices): Promise<Map<string, Taken>> {
  const rows = await services.transact.asOperatorSnapshot(
    (tx) => tx<TakenRow[]>`
      with balance as (
        select tenant_id as owner, period_start, used from balances
        union all select key_id, period_start, used from usage_of_keys
      ), lease as (
        select coalesce(key_id, tenant_id) as owner, period_start, sum(remaining) as held,
          coalesce(sum(remaining) filter (where state = 'forfeited'), 0) as forfeited
        from leases group by 1, 2
      )
      select owner, (extract(epoch from period_start) * 1000)::float8 as period,
        coalesce(used, 0)::float8 as used, coalesce(held, 0)::float8 as held, coalesce(forfeited, 0)::float8 as forfeited
      from balance full join lease using (owner, period_start)`,
  );
  return new Map(rows.map((row) => [`${row.owner}|${String(row.period)}`, row]));
}

export function takenOf(taken: ReadonlyMap<string, Taken>, owner: string, period: number): Taken {
  return taken.get(`${owner}|${String(period)}`) ?? NOTHING;
}

/** Reads the billed units in the ledger, by the process that recorded them. */
export async function readBilled(services: AppServices): Promise<Map<string, number>> {
  const rows = await services.transact.asOperator(
    (tx) => tx<{ process: string; billed: number }[]>`
      select g.process_id as process, sum(e.quantity)::float8 as billed
      from ledger_entries e join ledger_groups g using (group_id) group by 1`,
  );
  return new Map(rows.map((row) => [row.process, row.billed]));
}

/** Reads what is left in leases, by process. */
export async function readHeld(services: AppServices): Promise<Map<string, number>> {
  const rows = await services.transact.asOperator(
    (tx) => tx<{ process: string; held: number }[]>`
      select process_id as process, sum(remaining)::float8 as held from leases group by 1`,
  );
  return new Map(rows.map((row) => [row.process, row.held]));
}
