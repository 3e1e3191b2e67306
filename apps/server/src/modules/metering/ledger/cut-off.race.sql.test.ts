import { randomUUID } from "node:crypto";
import type { Tx } from "@turnpike/db/client";
import { isConnectionError, isRetryableError } from "@turnpike/db/database-errors";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact, type Transact } from "#platform/transact.ts";
import { groupOf, keysOf, NOON_MS, PERIOD } from "../testing/usage-groups.fixture.ts";
import { commitGroups } from "./commit-groups.ts";
import { NO_PACE } from "./commit-pace.ts";
import { cutOffUsage } from "./ledger.store.ts";
import { reconcile } from "./reconcile.ts";

const WRITERS = 3;
const ROUNDS = IS_SOAK ? 400 : 12;
/** More than fit into one statement, so that a commit takes its time. */
const CALLS = 200;
const OPERATOR = { actor: { type: "operator", id: "test" }, requestId: "req_test" } as const;
const logger = createLogger({ level: "silent" });

let database: TestDatabase;
let transact: Transact;
let tenantId: TenantId;
beforeAll(async () => {
  database = await createTestDatabase();
  transact = createTransact(database.sql);
  tenantId = newUuidId("tenant");
});
afterAll(() => database.close());

/** Reads what a closing would bill: usage recorded after one cut-off and up to the next. */
async function readUsed(after: Date | undefined, upTo: Date | undefined): Promise<number> {
  const from = after?.toISOString() ?? "-infinity";
  const to = upTo?.toISOString() ?? "infinity";
  const [row] = await database.sql<[{ used: number }]>`
    select coalesce(sum(quantity), 0)::int as used from ledger_entries
    where tenant_id = ${tenantId} and recorded_at > ${from}::text::timestamptz and recorded_at <= ${to}::text::timestamptz`;
  return row.used;
}

/** Takes a cut-off; tries again when writers hold it up or its session was ended. */
async function cutOff(): Promise<Date> {
  for (;;) {
    try {
      return await transact.asMeter(cutOffUsage);
    } catch (error) {
      if (!isRetryableError(error) && !isConnectionError(error)) {
        throw error;
      }
    }
  }
}

/** Ends the session of a writer in the middle of a transaction. */
async function killSession(): Promise<void> {
  await database.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'
    limit 1`;
}

/** Records an event of one unit, once for each hash. */
async function recordEvent(tx: Tx, hash: string): Promise<void> {
  await tx`
    select record_events(${newUuidId("group")}, 0, array[${hash}::uuid], array[${tenantId}], array[''], array['/'],
      array['1'], array['read'], array[${new Date(NOON_MS)}]::timestamptz[], array['{}'], array[1], array[${tenantId}],
      array[''], array[''], array['pages'], array[1], array[${new Date(NOON_MS)}]::timestamptz[],
      array[${new Date(PERIOD.startMs)}]::timestamptz[], array[${new Date(PERIOD.endMs)}]::timestamptz[],
      array[1::numeric], array[null::numeric], array[null::numeric], array[null::uuid], array['{}'])`;
}

describe("cut-offs while usage is recorded", () => {
  it("split it without a gap: nothing is recorded behind a cut-off, also when processes are killed meanwhile", async () => {
    let writing = WRITERS;
    let recorded = 0;
    let isOver = false;
    const slices: { after: Date | undefined; upTo: Date; used: number }[] = [];
    /** Writers go on until there was something to split, on however slow a machine. */
    const isEnough = (round: number) => isOver || (round >= ROUNDS && slices.length > 2);
    /** Long pauses within a commit: a transaction that began before a cut-off ends after it. */
    const pause = async () => await new Promise<void>((resolve) => setImmediate(resolve));
    const pace = { ...NO_PACE, afterStatement: pause };

    /** Writes again what a killed session may have written: ids keep it from counting twice. */
    async function writeUntilKept(write: () => Promise<unknown>): Promise<void> {
      while (!isOver) {
        try {
          await write();
          return;
        } catch (error) {
          if (!isConnectionError(error)) {
            throw error;
          }
        }
      }
    }

    async function writeCalls(): Promise<void> {
      for (let round = 0; !isEnough(round); round += 1) {
        const group = groupOf(tenantId, keysOf(CALLS));
        await writeUntilKept(() => commitGroups({ transact, logger }, [group], pace));
        recorded += CALLS;
      }
      writing -= 1;
    }

    async function writeEvents(): Promise<void> {
      for (let round = 0; !isEnough(round); round += 1) {
        const hash = randomUUID();
        await writeUntilKept(() =>
          transact.asMeter(async (tx) => {
            await recordEvent(tx, hash);
            await pause();
          }),
        );
        recorded += 1;
      }
      writing -= 1;
    }

    async function cutOffAgainAndAgain(): Promise<void> {
      let after: Date | undefined;
      while (writing > 0) {
        const upTo = await cutOff();
        slices.push({ after, upTo, used: await readUsed(after, upTo) });
        after = upTo;
        if (slices.length % 5 === 0) {
          await killSession();
        }
      }
    }
    await Promise.all([
      writeCalls(),
      writeCalls(),
      writeEvents(),
      cutOffAgainAndAgain().finally(() => {
        isOver = true;
      }),
    ]);

    expect(slices.length).toBeGreaterThan(2);
    for (const { after, upTo, used } of slices) {
      expect(await readUsed(after, upTo)).toBe(used);
    }
    const rest = await readUsed(slices.at(-1)?.upTo, undefined);
    const billed = slices.reduce((sum, { used }) => sum + used, 0);
    expect(billed + rest).toBe(recorded);
    expect(billed).toBeGreaterThan(0);
    expect(await reconcile({ transact }, OPERATOR)).toMatchObject({ drift: 0 });
  });

  it("are never followed by usage at or before them, even when the clock was set back", async () => {
    const ahead = new Date(Date.now() + 3_600_000);
    await database.sql`update usage_cut_off set cut_off_at = ${ahead}`;
    await commitGroups({ transact, logger }, [groupOf(tenantId, keysOf(1))]);
    expect(await readUsed(ahead, undefined)).toBe(1);
    const next = await cutOff();
    expect(next.getTime()).toBe(ahead.getTime());
    await database.sql`update usage_cut_off set cut_off_at = '-infinity'`;
  });
});
