import type { TenantId } from "@turnpike/domain/ids/ids";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { waitUntilHeard } from "./wait-until-heard.ts";

let database: TestDatabase;
let services: TestServices;
let tenantId: TenantId;

beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`delete from processes`;
  ({ tenantId } = await createTestTenant(services));
});

/** Instants are seconds from now. */
async function addProcess(
  name: string,
  at: { startedAt?: number; heartbeatAt?: number; stoppedAt?: number } = {},
): Promise<void> {
  const { startedAt = -60, heartbeatAt = 0, stoppedAt = null } = at;
  await database.sql`
    insert into processes (process_id, node_name, started_at, heartbeat_at, stopped_at)
    values (${name}, ${name}, now() + make_interval(secs => ${startedAt}),
      now() + make_interval(secs => ${heartbeatAt}), now() + make_interval(secs => ${stoppedAt}))`;
}

async function findRevision(): Promise<bigint> {
  const [row] = await database.sql<{ revision: bigint | null }[]>`
    select max(revision) as revision from changes where kind = 'tenant' and tenant_id = ${tenantId}`;
  return row?.revision ?? 0n;
}

async function listUnheard(): Promise<(string | null)[]> {
  const unaware = await waitUntilHeard(services, { tenantId, timeoutMs: 0 });
  return unaware.map(({ nodeName }) => nodeName);
}

describe("the wait until every process of a cell has heard of a tenant", () => {
  it("names those that have not in time, also one that heard of an earlier change", async () => {
    await addProcess("new");
    await addProcess("behind", { startedAt: -30 });
    await database.sql`
      update processes set heard_revision = ${await findRevision()} where process_id = 'behind'`;
    expect(await listUnheard()).toEqual(["new", "behind"]);
  });

  it("is not for one that ended, one that is silent, or one that started later", async () => {
    await addProcess("ended", { stoppedAt: -1 });
    await addProcess("silent", { heartbeatAt: -30 });
    await addProcess("later", { startedAt: 60 });
    expect(await listUnheard()).toEqual([]);
  });

  it("ends when the last of them has heard", async () => {
    await addProcess("serving");
    const before = await findRevision();
    // The clock is stopped, so that the wait does not time out.
    const waiting = waitUntilHeard(services, { tenantId, timeoutMs: 1 });
    const revision = await pollUntil("the tenant is announced", async () => {
      const found = await findRevision();
      return found > before && found;
    });
    await database.sql`update processes set heard_revision = ${revision}`;
    expect(await waiting).toEqual([]);
  });
});
