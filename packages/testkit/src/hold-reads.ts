import { pollUntil } from "./poll-until.ts";
import type { TestDatabase } from "./test-database.ts";

/** Of the advisory lock that held statements wait for. */
const HELD = 4_711;

/**
 * Does work while a statement of an operator's transaction is held between its snapshot and its first read: it has its
 * snapshot, and reads no row of the table yet. The superuser and the tenant role are not held.
 *
 * @param input.statement - Begun first; held until `meanwhile` is over.
 * @returns What the statement then gives.
 */
export async function holdReads<Result>(
  database: TestDatabase,
  input: {
    table: string;
    statement: () => Promise<Result>;
    meanwhile: () => Promise<unknown>;
  },
): Promise<Result> {
  const { sql } = database;
  const table = sql(input.table);
  await sql`
    create policy held on ${table} as restrictive for select to turnpike_operator
    using (pg_advisory_xact_lock_shared(${sql.unsafe(String(HELD))}) is not null)`;
  try {
    let running: Promise<Result> | undefined;
    await sql.transaction(async (tx) => {
      await tx`select pg_advisory_xact_lock(${HELD})`;
      running = input.statement();
      await pollUntil("the statement is held", async () => {
        const waiting = await sql`
          select 1 from pg_locks where locktype = 'advisory' and objid = ${HELD} and not granted`;
        return waiting.length > 0;
      });
      await input.meanwhile();
    });
    if (running === undefined) {
      throw new Error("The statement was not begun.");
    }
    return await running;
  } finally {
    await sql`drop policy held on ${table}`;
  }
}
