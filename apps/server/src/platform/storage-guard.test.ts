import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, insertTestTenant } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createStorageGuard, MEGABYTE } from "./storage-guard.ts";

const LIMITS = {
  reserveMegabytes: 100,
  filesMegabytes: 1,
  documentsMegabytes: 1_000,
  tenantChangesPerDay: 100,
};

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it("refuses while the disk has no more than its reserve, and takes again as soon as it has", async () => {
  let free = 101 * MEGABYTE;
  const guard = createStorageGuard(createLiveServices(database), LIMITS, {
    folder: "/",
    freeBytes: async () => free,
  });
  await guard.look();
  await expect(guard.assertMayStore(undefined)).resolves.toBeUndefined();
  free = 100 * MEGABYTE - 1;
  await guard.look();
  await expect(guard.assertMayStore(undefined)).rejects.toMatchObject({ code: "STORAGE_FULL" });
  expect(guard.findTrouble()).toContain("less than 100 MB left");
  free = 100 * MEGABYTE;
  await guard.look();
  expect(guard.findTrouble()).toBeUndefined();
  guard.stop();
});

it("lets what may take something away go to half of the reserve, and no further", async () => {
  let free = 50 * MEGABYTE;
  const guard = createStorageGuard(createLiveServices(database), LIMITS, {
    folder: "/",
    freeBytes: async () => free,
  });
  const overdraw = () => guard.assertMayStore(undefined, { isOverdraft: true });
  await guard.look();
  await expect(guard.assertMayStore(undefined)).rejects.toMatchObject({ code: "STORAGE_FULL" });
  await expect(overdraw()).resolves.toBeUndefined();
  free -= 1;
  await guard.look();
  await expect(overdraw()).rejects.toMatchObject({ code: "STORAGE_FULL" });
  guard.stop();
});

it("lets what may take something away make twice the changes of a day, and counts many of one call", async () => {
  const guard = createStorageGuard(createLiveServices(database), LIMITS, { folder: "/" });
  const tenantId = await insertTestTenant(database.sql);
  const change = (count: number) => database.sql`
    insert into audit_entries
      (tenant_id, audit_id, occurred_at, actor_type, actor_id, action, entity_type, entity_id)
    select ${tenantId}, gen_random_uuid()::text, now(), 'user', 'usr_x', 'key.updated', 'key', 'key_x'
    from generate_series(1, ${count}::int)`;
  await guard.assertMayStore(tenantId);
  await change(100);
  // Takes all that was left before the next count.
  await guard.assertMayStore(tenantId, { changes: 25 });
  await expect(guard.assertMayStore(tenantId)).rejects.toMatchObject({
    code: "STORAGE_QUOTA_REACHED",
  });
  await change(99);
  await guard.assertMayStore(tenantId, { isOverdraft: true });
  await change(1);
  const overdraw = guard.assertMayStore(tenantId, { changes: 500, isOverdraft: true });
  await expect(overdraw).rejects.toMatchObject({ code: "STORAGE_QUOTA_REACHED" });
  guard.stop();
});

it("keeps what it saw last while the disk cannot be asked", async () => {
  let answer = async () => 0;
  const guard = createStorageGuard(createLiveServices(database), LIMITS, {
    folder: "/",
    freeBytes: () => answer(),
  });
  await guard.look();
  answer = () => Promise.reject(new Error("no answer"));
  await guard.look();
  await expect(guard.assertMayStore(undefined)).rejects.toMatchObject({ code: "STORAGE_FULL" });
  guard.stop();
});

it("refuses all tenants when the files of all together have reached the installation's quota", async () => {
  const guard = createStorageGuard(createLiveServices(database), LIMITS, {
    folder: "/",
    freeBytes: async () => 1_000 * MEGABYTE,
  });
  await guard.look();
  expect(guard.findTrouble()).toBeUndefined();
  const tenantId = await insertTestTenant(database.sql);
  await database.sql`
    insert into files (tenant_id, file_id, name, media_type, bytes, sha256, created_at, created_by)
    values (${tenantId}, ${`file_${"1".repeat(32)}`}, 'n', 'text/plain', ${MEGABYTE}, '\\x00', now(), 'x')`;
  await guard.look();
  await expect(guard.assertMayStore(undefined)).rejects.toMatchObject({
    code: "STORAGE_QUOTA_REACHED",
  });
  expect(guard.findTrouble()).toContain("storage.filesMegabytes");
  guard.stop();
});
