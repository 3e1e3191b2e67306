import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices, type TestServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOidcAdapter } from "./oidc-adapter.ts";
import { pruneExpired } from "./prune-expired.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

describe("pruneExpired", () => {
  it("deletes everything that has expired, in batches, and nothing else", async () => {
    const adapterOf = createOidcAdapter(services, (id) => `http://console.test/idp/auth/${id}`);
    const tokens = adapterOf("AccessToken");
    await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        tokens.upsert(`short ${String(index)}`, { kind: "AccessToken" }, 60),
      ),
    );
    await tokens.upsert("long", { kind: "AccessToken" }, 3_600);
    services.clock.advance(60_000);
    expect(await tokens.find("short 1")).toBeUndefined();
    expect(await pruneExpired(services, { batchSize: 10 })).toBe(25);
    expect(await pruneExpired(services)).toBe(0);
    expect(await tokens.find("long")).toMatchObject({ jti: "long" });
  });

  it("stops when its signal aborts", async () => {
    const adapterOf = createOidcAdapter(services, (id) => id);
    await adapterOf("AccessToken").upsert("one more", { kind: "AccessToken" }, 1);
    services.clock.advance(2_000);
    expect(await pruneExpired(services, { signal: AbortSignal.abort() })).toBe(0);
  });
});
