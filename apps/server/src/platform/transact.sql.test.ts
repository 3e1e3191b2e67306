import { connect, type Sql, type Tx } from "@turnpike/db/client";
import { databaseErrorCode } from "@turnpike/db/database-errors";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTwoTenants,
  type TwoTenants,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTransact, type Transact } from "./transact.ts";

const REFUSED = "42501";

let database: TestDatabase;
/** One connection for all: what a transaction leaves behind, the next one would find. */
let pool: Sql;
let transact: Transact;
let tenants: TwoTenants;
beforeAll(async () => {
  database = await createTestDatabase();
  tenants = await createTwoTenants(createTestServices(database));
  pool = connect(database.target, {
    connectionsMax: 1,
    applicationName: "one-connection",
    statementTimeoutMs: 0,
  });
  transact = createTransact(pool);
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

async function visibleTenants(tx: Tx): Promise<string[]> {
  const rows = await tx<{ tenant_id: string }[]>`select tenant_id from tenants order by tenant_id`;
  return rows.map((row) => row.tenant_id);
}

/** The tables of tenants that the tenant role may read. */
async function tenantTables(): Promise<string[]> {
  const rows = await database.sql<{ name: string }[]>`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and has_table_privilege('turnpike_tenant', c.oid, 'select')`;
  return rows.map((row) => row.name);
}

/** The outcome of a statement: `done`, or the code with which the database refused it. */
function outcomeOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(() => "done", databaseErrorCode);
}

describe("transact", () => {
  it("shows tenants that take turns on one connection nothing of each other", async () => {
    const { ours, theirs } = tenants;
    const seen = await Promise.all(
      Array.from({ length: 40 }, (_, turn) => {
        const { tenantId } = turn % 2 === 0 ? ours : theirs;
        return transact.asTenant(tenantId, async (tx) => [tenantId, await visibleTenants(tx)]);
      }),
    );
    for (const [tenantId, visible] of seen) {
      expect(visible).toEqual([tenantId]);
    }
  });

  it("leaves neither role nor tenant on the connection, whether the work ends well or not", async () => {
    const state = () => pool<{ role: string; tenant: string | null }[]>`
      select current_user as role, nullif(current_setting('app.tenant', true), '') as tenant`;
    const [before] = await state();
    await transact.asTenant(tenants.ours.tenantId, visibleTenants);
    expect((await state())[0]).toEqual(before);
    await transact
      .asTenant(tenants.ours.tenantId, () => Promise.reject(new Error("no")))
      .catch(() => undefined);
    expect((await state())[0]).toEqual(before);
    expect(before?.tenant).toBeNull();
  });

  it("shows no rows to the tenant role when no tenant is set, neither fresh nor after another transaction", async () => {
    await transact.asTenant(tenants.ours.tenantId, visibleTenants);
    for (const tenant of [undefined, "", "%", "' or true --"]) {
      await pool.begin(async (tx) => {
        await tx`set local role turnpike_tenant`;
        if (tenant !== undefined) {
          await tx`select set_config('app.tenant', ${tenant}, true)`;
        }
        for (const table of await tenantTables()) {
          expect([...(await tx`select * from ${tx(table)}`)]).toEqual([]);
        }
      });
    }
  });

  it("lets a tenant neither change, delete nor take over what is another's, without telling that it is there", async () => {
    const { ours, theirs } = tenants;
    const asOurs = <Result>(work: (tx: Tx) => Promise<Result>) =>
      transact.asTenant(ours.tenantId, work);
    const changed = await asOurs(
      (tx) => tx`
      update tenants set name = 'taken' where tenant_id = ${theirs.tenantId} returning 1`,
    );
    expect(changed).toHaveLength(0);
    const deleted = await asOurs(
      (tx) => tx`
      delete from api_keys where tenant_id = ${theirs.tenantId} returning 1`,
    );
    expect(deleted).toHaveLength(0);
    const moved = outcomeOf(asOurs((tx) => tx`update tenants set tenant_id = ${theirs.tenantId}`));
    expect(await moved).toBe(REFUSED);
    const planted = outcomeOf(
      asOurs(
        (tx) => tx`
        insert into members (tenant_id, user_id, role, created_at)
        values (${theirs.tenantId}, 'usr_x', 'owner', now())`,
      ),
    );
    // As for a tenant that does not exist: it is asked for before the policy of the table.
    expect(await planted).toBe("RESOURCE_NOT_FOUND");
    const forged = outcomeOf(
      asOurs(
        (tx) => tx`
        insert into audit_entries
          (tenant_id, audit_id, occurred_at, actor_type, actor_id, action, entity_type, entity_id)
        values (${theirs.tenantId}, 'aud_x', now(), 'user', 'usr_x', 'forged', 'tenant', 'ten_x')`,
      ),
    );
    expect(await forged).toBe(REFUSED);
  });

  it("lets a tenant see nothing of the installation: users, service keys, setup codes, mails, changes", async () => {
    for (const table of ["users", "service_keys", "setup_codes", "mails", "changes", "processes"]) {
      const read = transact.asTenant(tenants.ours.tenantId, (tx) => tx`select 1 from ${tx(table)}`);
      expect(await outcomeOf(read)).toBe(REFUSED);
    }
  });

  it.each([
    "update ledger_entries set quantity = 0",
    "delete from ledger_entries",
    "truncate ledger_entries",
  ])("refuses to every role: %s", async (statement) => {
    expect(await outcomeOf(transact.asMeter((tx) => tx.unsafe(statement)))).toBe(REFUSED);
    expect(await outcomeOf(transact.asOperator((tx) => tx.unsafe(statement)))).toBe(REFUSED);
    const { tenantId } = tenants.ours;
    expect(await outcomeOf(transact.asTenant(tenantId, (tx) => tx.unsafe(statement)))).toBe(
      REFUSED,
    );
  });

  it("lets metering write the ledger and read nothing of people or keys", async () => {
    for (const table of [
      "api_keys",
      "tenants",
      "users",
      "service_keys",
      "audit_entries",
      "members",
    ]) {
      const read = transact.asMeter((tx) => tx`select 1 from ${tx(table)}`);
      expect(await outcomeOf(read)).toBe(REFUSED);
    }
  });

  it("reads a snapshot that stays as it was, and writes nothing in it", async () => {
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    const wide = createTransact(database.sql);
    const reading = wide.asOperatorSnapshot(async (tx) => {
      const before = await visibleTenants(tx);
      resolve();
      await database.sql`update tenants set name = 'renamed'`;
      const names = await tx`select 1 from tenants where name = 'renamed'`;
      return { before, renamed: names.length };
    });
    await changed;
    expect((await reading).renamed).toBe(0);
    const writing = wide.asOperatorSnapshot((tx) => tx`update tenants set name = 'no'`);
    expect(await outcomeOf(writing)).toBe("25006");
  });

  it("reads as an analyst one tenant or all, and leaves none of its settings on the connection", async () => {
    const { ours } = tenants;
    const settings = (tx: Tx) =>
      tx`select current_setting('statement_timeout') as timeout, current_setting('work_mem') as memory,
        current_setting('jit') as jit, current_setting('app.tenant', true) as tenant,
        current_setting('idle_in_transaction_session_timeout') as standstill`;
    const before = await transact.asOperator(settings);
    const limits = { timeoutMs: 1_234 };
    const one = await transact.asAnalyst({ ...limits, tenantId: ours.tenantId }, visibleTenants);
    const all = await transact.asAnalyst({ ...limits, tenantId: null }, visibleTenants);
    expect(one).toEqual([ours.tenantId]);
    expect(all.length).toBeGreaterThan(one.length);
    const within = await transact.asAnalyst({ ...limits, tenantId: null }, settings);
    expect(within).toMatchObject([{ timeout: "1234ms", jit: "off" }]);
    const slow = { ...limits, tenantId: null, transactionTimeoutMs: 90_000 };
    expect(await transact.asAnalyst(slow, settings)).toMatchObject([{ standstill: "90s" }]);
    expect(await transact.asOperator(settings)).toEqual(before);
  });

  it("undoes everything when the work fails", async () => {
    const { tenantId } = tenants.ours;
    await transact
      .asTenant(tenantId, async (tx) => {
        await tx`update tenants set name = 'half done'`;
        throw new Error("no");
      })
      .catch(() => undefined);
    const [row] = await pool`select name from tenants where tenant_id = ${tenantId}`;
    expect(row?.["name"]).not.toBe("half done");
  });
});
