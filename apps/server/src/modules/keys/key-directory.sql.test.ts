import { randomBytes } from "node:crypto";
import { formatKey, KEY_RANDOM_BYTES } from "@turnpike/domain/keys/key-format";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
  type TestTenant,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEntitlementDirectory } from "#modules/entitlements/index.ts";
import { updateTenant } from "#modules/tenants/index.ts";
import type { Change } from "#platform/change-feed.ts";
import { CHANGES_CHANNEL, type ChangeFeed, createChangeFeed } from "#platform/change-feed.ts";
import { systemClock } from "#platform/clock.ts";
import { createListen } from "#platform/postgres-listen.ts";
import type { Transact } from "#platform/transact.ts";
import { createKey } from "./create-key.ts";
import { createServiceKey } from "./create-service-key.ts";
import { hashKey } from "./hash-key.ts";
import { createKeyDirectory, type KeyDirectory } from "./key-directory.ts";
import { revokeKey } from "./revoke-key.ts";
import { revokeServiceKey } from "./revoke-service-key.ts";

let database: TestDatabase;
let services: TestServices;
let tenant: TestTenant;
let feed: ChangeFeed;
/** Subscribed to the change feed, as in the running product. */
let live: KeyDirectory;

function createDirectory(transact: Transact = services.transact): KeyDirectory {
  const { monotonicMs, now } = services.clock;
  const entitlements = createEntitlementDirectory({ transact, monotonicMs });
  const keys = createKeyDirectory({ transact, monotonicMs, now, entitlements });
  return {
    ...keys,
    applyChange: (change) => {
      entitlements.applyChange(change);
      keys.applyChange(change);
    },
  };
}

beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  tenant = await createTestTenant(services);
  live = createDirectory();
  feed = createChangeFeed({
    transact: services.transact,
    listen: createListen(database.target, CHANGES_CHANNEL),
    clock: systemClock,
    logger: services.logger,
  });
  feed.subscribe(live.applyChange);
  await feed.start();
});
afterAll(async () => {
  await feed.stop();
  await database.close();
});

const create = (input: { scopes?: ["keys:read"]; expiresAt?: string } = {}) =>
  createKey(services, OPERATOR_CONTEXT, {
    tenantId: tenant.tenantId,
    name: "Key",
    environment: "live",
    scopes: input.scopes ?? [],
    metadata: { team: "a" },
    ...(input.expiresAt === undefined ? {} : { expiresAt: input.expiresAt }),
  });

const unknownKey = () => formatKey("live", randomBytes(KEY_RANDOM_BYTES)).key;

/** A database whose answers to directory lookups can be held back. */
function createHeldDatabase() {
  let underWay = 0;
  let most = 0;
  let asked = 0;
  let held: Promise<void> = Promise.resolve();
  const transact: Transact = {
    ...services.transact,
    asOperator: async (work) => {
      underWay += 1;
      asked += 1;
      most = Math.max(most, underWay);
      try {
        const result = await services.transact.asOperator(work);
        await held;
        return result;
      } finally {
        underWay -= 1;
      }
    },
  };
  return {
    transact,
    most: () => most,
    /** Transactions so far. */
    asked: () => asked,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
  };
}

describe("the key directory", () => {
  it("returns what the hot path needs, from memory after the first load", async () => {
    const made = await create();
    const hash = hashKey(made.key);
    expect(live.peekKey(hash)).toBeUndefined();
    const record = await live.loadKey(hash);
    expect(record).toMatchObject({
      keyId: made.keyId,
      tenantId: tenant.tenantId,
      environment: "live",
      metadataText: `{"team":"a"}`,
      expiresAtMs: Number.POSITIVE_INFINITY,
      revoked: false,
    });
    expect(live.peekKey(hash)).toBe(record);
  });

  it("refuses a revoked key within a second, even while it is held in memory", async () => {
    const made = await create();
    const hash = hashKey(made.key);
    await live.loadKey(hash);
    await revokeKey(services, OPERATOR_CONTEXT, made);
    await pollUntil("revocation", async () => (await live.loadKey(hash))?.revoked === true);
  });

  it("refuses a revoked service key within a second", async () => {
    const made = await createServiceKey(services, OPERATOR_CONTEXT, {
      name: "Backend",
      scopes: ["keys:read"],
    });
    expect(await live.findActor(made.key)).toMatchObject({
      type: "service_key",
      id: made.serviceKeyId,
      scopes: ["keys:read"],
    });
    await revokeServiceKey(services, OPERATOR_CONTEXT, made);
    await pollUntil("revocation", async () => (await live.findActor(made.key)) === undefined);
  });

  it("accepts a new key within a second, even if it was requested before it existed", async () => {
    const random = randomBytes(KEY_RANDOM_BYTES);
    const { key } = formatKey("live", random);
    expect(await live.loadKey(hashKey(key))).toBeNull();
    expect(live.peekKey(hashKey(key))).toBeNull();
    const made = await createKey({ ...services, randomBytes: () => random }, OPERATOR_CONTEXT, {
      tenantId: tenant.tenantId,
      name: "Late",
      environment: "live",
      scopes: [],
      metadata: {},
    });
    expect(made.key).toBe(key);
    await pollUntil("the new key", async () => (await live.loadKey(hashKey(key))) !== null);
  });

  it("drops everything it holds when changes were missed", async () => {
    const directory = createDirectory();
    const made = await create();
    await directory.loadKey(hashKey(made.key));
    directory.applyChange({ kind: "reset" });
    expect(directory.peekKey(hashKey(made.key))).toBeUndefined();
  });

  it("does not keep a lookup that was overtaken by a change", async () => {
    const database2 = createHeldDatabase();
    const directory = createDirectory(database2.transact);
    const made = await create();
    const hash = hashKey(made.key);
    const letGo = database2.hold();
    const load = directory.loadKey(hash);
    await pollUntil("the lookup", () => database2.most() === 1);
    await revokeKey(services, OPERATOR_CONTEXT, made);
    const change: Change = {
      kind: "key",
      tenantId: tenant.tenantId,
      entityId: made.keyId,
      revision: 1n,
    };
    directory.applyChange(change);
    letGo();
    expect(await load).toMatchObject({ revoked: true });
    expect(directory.peekKey(hash)).toMatchObject({ revoked: true });
  });

  it("runs at most 8 lookups at once under a flood of unknown keys", async () => {
    const flood = createHeldDatabase();
    const directory = createDirectory(flood.transact);
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => directory.loadKey(hashKey(unknownKey()))),
    );
    expect(answers.every((answer) => answer === null)).toBe(true);
    expect(flood.most()).toBeLessThanOrEqual(8);
  });

  it("looks up a hundred unknown keys in one query, and still answers known ones", async () => {
    const flood = createHeldDatabase();
    const directory = createDirectory(flood.transact);
    const made = await create();
    await directory.loadKey(hashKey(made.key));
    const before = flood.asked();
    for (let wave = 0; wave < 5; wave += 1) {
      const unknown = Array.from({ length: 2_000 }, () => hashKey(unknownKey()));
      const loads = Promise.all(unknown.map((hash) => directory.loadKey(hash)));
      expect(directory.peekKey(hashKey(made.key))).toMatchObject({ keyId: made.keyId });
      expect(new Set(await loads)).toEqual(new Set([null]));
      // They are remembered as unknown for a while: using them again causes no query.
      expect(directory.peekKey(unknown[0] ?? "")).toBeNull();
    }
    // The first eight of each wave alone, the rest in batches of a hundred.
    expect(flood.asked() - before).toBeLessThanOrEqual(5 * (8 + 20));
  });

  it("refuses further lookups while two thousand wait, and still answers known keys", async () => {
    const flood = createHeldDatabase();
    const directory = createDirectory(flood.transact);
    const made = await create();
    await directory.loadKey(hashKey(made.key));
    const letGo = flood.hold();
    const waiting = Array.from({ length: 2_008 }, () => directory.loadKey(hashKey(unknownKey())));
    await expect(directory.loadKey(hashKey(unknownKey()))).rejects.toMatchObject({
      code: "OVERLOADED",
      headers: { "retry-after": "1" },
    });
    expect(directory.peekKey(hashKey(made.key))).not.toBeNull();
    letGo();
    await Promise.all(waiting);
  });

  it("loads a key once for a hundred simultaneous callers", async () => {
    const counted = createHeldDatabase();
    const directory = createDirectory(counted.transact);
    const hash = hashKey((await create()).key);
    const records = await Promise.all(Array.from({ length: 100 }, () => directory.loadKey(hash)));
    expect(new Set(records).size).toBe(1);
    expect(counted.most()).toBe(1);
  });

  it("retries after a failed lookup", async () => {
    let isDown = true;
    const directory = createDirectory({
      ...services.transact,
      asOperator: (work) =>
        isDown ? Promise.reject(new Error("down")) : services.transact.asOperator(work),
    });
    const hash = hashKey((await create()).key);
    await expect(directory.loadKey(hash)).rejects.toThrow("down");
    isDown = false;
    expect(await directory.loadKey(hash)).not.toBeNull();
  });
});

describe("findActor", () => {
  it("identifies a tenant's live key as a program of that tenant, with the key's scopes", async () => {
    const made = await create({ scopes: ["keys:read"] });
    expect(await live.findActor(made.key)).toEqual({
      type: "key",
      id: made.keyId,
      tenantId: tenant.tenantId,
      scopes: ["keys:read"],
    });
  });

  it("rejects an expired key, even while it is in memory", async () => {
    const soon = new Date(services.clock.now().getTime() + 1_000).toISOString();
    const made = await create({ expiresAt: soon });
    expect(await live.findActor(made.key)).toBeDefined();
    services.clock.advance(1_000);
    expect(await live.findActor(made.key)).toBeUndefined();
  });

  it("rejects a test key and a key of a suspended tenant", async () => {
    const test = await createKey(services, OPERATOR_CONTEXT, {
      tenantId: tenant.tenantId,
      name: "test key",
      environment: "test",
      scopes: [],
      metadata: {},
    });
    expect(await live.findActor(test.key)).toBeUndefined();

    const other = await createTestTenant(services, "Suspended");
    const made = await createKey(services, OPERATOR_CONTEXT, {
      tenantId: other.tenantId,
      name: "key",
      environment: "live",
      scopes: [],
      metadata: {},
    });
    expect(await live.findActor(made.key)).toBeDefined();
    await updateTenant(services, OPERATOR_CONTEXT, { tenantId: other.tenantId, suspended: true });
    await pollUntil("the suspension", async () => (await live.findActor(made.key)) === undefined);
  });

  it("makes no query for a text with a wrong checksum or one longer than any key", async () => {
    const directory = createDirectory({
      ...services.transact,
      asOperator: () => Promise.reject(new Error("asked the database")),
    });
    const { key } = await create();
    for (const credential of ["", `${key}x`, key.toLowerCase(), "tp_nonsense", "x".repeat(257)]) {
      expect(await directory.findActor(credential)).toBeUndefined();
    }
  });

  it("looks up a text of another form once, since it may be an imported key", async () => {
    let asked = 0;
    const directory = createDirectory({
      ...services.transact,
      asOperator: (work) => {
        asked += 1;
        return services.transact.asOperator(work);
      },
    });
    for (let call = 0; call < 3; call += 1) {
      expect(await directory.findActor("sk_live_1234")).toBeUndefined();
    }
    expect(asked).toBe(1);
  });
});
