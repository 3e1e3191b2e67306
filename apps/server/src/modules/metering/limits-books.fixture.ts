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
  /** True from when calls were let through without a limit until all of them are in the ledger. */
  isUncovered: boolean;
  /** True from when a process was killed meanwhile: what it let through and had not written down is lost, and held by nobody. */
  hasLost: boolean;
};

type Book = { admitted: number };
type Taken = { used: number; held: number; forfeited: number };
type TakenRow = Taken & { owner: string; period: number };

const NOTHING: Taken = { used: 0, held: 0, forfeited: 0 };

/** What processes said that they let through, beside what the database knows. Periods by their start, epoch milliseconds. */
export class Books {
  /** Let through of each tenant or line of keys and period. */
  readonly #books = new Map<string, Book>();
  /** What may have been of each tenant, line of keys or process, in whatever period, because the answer was lost. */
  readonly #unknown = new Map<string, number>();
  /** What the database may count for a balance at the most, given the limits in force so far. */
  readonly #ceilings = new Map<string, number>();
  /** Billed by process. */
  readonly byProcess = new Map<string, Book>();
  readonly tenants: ModelTenant[] = [];

  bookOf(owner: string, period: number): Book {
    const slot = `${owner}|${String(period)}`;
    const book = this.#books.get(slot) ?? { admitted: 0 };
    this.#books.set(slot, book);
    return book;
  }

  processBook(processId: string): Book {
    const book = this.byProcess.get(processId) ?? { admitted: 0 };
    this.byProcess.set(processId, book);
    return book;
  }

  addUnknown(owner: string, units: number): void {
    this.#unknown.set(owner, this.unknownOf(owner) + units);
  }

  unknownOf(owner: string): number {
    return this.#unknown.get(owner) ?? 0;
  }

  /** Forgets what was let through without a limit and lost: nothing was held for it. */
  forgetLost(owner: string, period: number, { used, held }: Taken): void {
    const book = this.bookOf(owner, period);
    book.admitted = Math.min(book.admitted, used + held);
  }

  /** A limit that was just given: from now on it may be reached. A lower one tells only once it is heard everywhere. */
  raise(owner: string, period: number, limit: number): void {
    const slot = `${owner}|${String(period)}`;
    this.#ceilings.set(slot, Math.max(limit, this.#ceilings.get(slot) ?? 0));
  }

  /** Every process has heard of the limit: nothing is cut beyond it any more. */
  lower(owner: string, period: number, input: { limit: number; taken: Taken }): void {
    const { used, held } = input.taken;
    const slot = `${owner}|${String(period)}`;
    const before = this.#ceilings.get(slot) ?? 0;
    this.#ceilings.set(slot, Math.max(input.limit, Math.min(before, used + held)));
  }

  ceilingOf(owner: string, period: number): number {
    return this.#ceilings.get(`${owner}|${String(period)}`) ?? 0;
  }
}

/** Reads every balance with what leases hold of it, in one snapshot. */
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

/** Billed units in the ledger by the process that recorded them. */
export async function readBilled(services: AppServices): Promise<Map<string, number>> {
  const rows = await services.transact.asOperator(
    (tx) => tx<{ process: string; billed: number }[]>`
      select g.process_id as process, sum(e.quantity)::float8 as billed
      from ledger_entries e join ledger_groups g using (group_id) group by 1`,
  );
  return new Map(rows.map((row) => [row.process, row.billed]));
}

/** What is left in leases, by process. */
export async function readHeld(services: AppServices): Promise<Map<string, number>> {
  const rows = await services.transact.asOperator(
    (tx) => tx<{ process: string; held: number }[]>`
      select process_id as process, sum(remaining)::float8 as held from leases group by 1`,
  );
  return new Map(rows.map((row) => [row.process, row.held]));
}
