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
