import type { KeyChange } from "@turnpike/contract/key-bulk";
import {
  createdKey,
  KEY_GRACE_SECONDS,
  KEY_STATES,
  key as keyShape,
} from "@turnpike/contract/keys";
import type { Role } from "@turnpike/domain/access/scopes";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  contextOf,
  createTestServices,
  createTestTenant,
  createTwoTenants,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAudit } from "#modules/audit/index.ts";
import { createEntitlementDirectory } from "#modules/entitlements/index.ts";
import { changeManyKeys } from "./change-many-keys.ts";
import { createKey } from "./create-key.ts";
import { getKey } from "./get-key.ts";
import { createKeyDirectory } from "./key-directory.ts";
import { listKeys } from "./list-keys.ts";
import { revokeKey } from "./revoke-key.ts";
import { rollKey } from "./roll-key.ts";
import { updateKey } from "./update-key.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

type Input = Parameters<typeof createKey>[2];
const create = (input: Pick<Input, "tenantId"> & Partial<Input>) =>
  createKey(services, OPERATOR_CONTEXT, {
    name: "Key",
    environment: "live",
    scopes: [],
    metadata: {},
    ...input,
  });

function inSeconds(seconds: number): string {
  return new Date(services.clock.now().getTime() + seconds * 1_000).toISOString();
}

async function actionsOf(tenantId: TenantId, entityId: string): Promise<string[]> {
  const trail = await listAudit(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
  return trail.items.filter((entry) => entry.entityId === entityId).map((entry) => entry.action);
}

describe("updateKey", () => {
  it("changes the given fields, keeps the rest, and audits the change", async () => {
    const { tenantId } = await createTestTenant(services);
    const made = await create({ tenantId, metadata: { team: "a" }, expiresAt: inSeconds(3_600) });
    const renamed = await updateKey(services, OPERATOR_CONTEXT, { ...ids(made), name: "Renamed" });
    expect(keyShape.parse(renamed)).toMatchObject({
      name: "Renamed",
      metadata: { team: "a" },
      expiresAt: made.expiresAt,
    });
    const endless = await updateKey(services, OPERATOR_CONTEXT, { ...ids(made), expiresAt: null });
    expect(endless.expiresAt).toBeNull();
    expect(await getKey(services, OPERATOR_CONTEXT, made)).toEqual(endless);
    expect(await actionsOf(tenantId, made.keyId)).toEqual([
      "key.updated",
      "key.updated",
      "key.created",
    ]);
  });

  it("disables and enables; repeating either changes nothing", async () => {
    const { tenantId } = await createTestTenant(services);
    const made = await create({ tenantId });
    for (const disabled of [true, true, false, false]) {
      const after = await updateKey(services, OPERATOR_CONTEXT, { ...ids(made), disabled });
      expect(after.state).toBe(disabled ? "disabled" : "active");
    }
    const actions = await actionsOf(tenantId, made.keyId);
    expect(actions.filter((action) => action === "key.disabled")).toHaveLength(1);
    expect(actions.filter((action) => action === "key.enabled")).toHaveLength(1);
  });

  it("neither records nor publishes what changes nothing", async () => {
    const { tenantId } = await createTestTenant(services);
    const metadata = { b: 1, a: "x", longer: true };
    const made = await create({ tenantId, metadata, expiresAt: inSeconds(3_600) });
    const before = await getKey(services, OPERATOR_CONTEXT, made);
    const { name, scopes, quotas, rateLimits, allowedNetworks, expiresAt } = before;
    const same = { name, scopes, quotas, rateLimits, allowedNetworks, expiresAt, metadata };
    expect(
      await updateKey(services, OPERATOR_CONTEXT, { ...ids(made), ...same, disabled: false }),
    ).toEqual(before);
    expect(await actionsOf(tenantId, made.keyId)).toEqual(["key.created"]);
    const rows = await database.sql`select from changes where entity_id = ${made.keyId}`;
    expect(rows).toHaveLength(1);
  });

  it("is published, so that a directory holding the key drops it", async () => {
    const { tenantId } = await createTestTenant(services);
    const made = await create({ tenantId });
    await updateKey(services, OPERATOR_CONTEXT, { ...ids(made), disabled: true });
    const rows = await database.sql<{ count: number }[]>`
      select count(*)::int as count from changes where kind = 'key' and entity_id = ${made.keyId}`;
    expect(rows[0]?.count).toBe(2);
  });

  it("refuses a revoked key, an expiry in the past, and a scope that the actor does not hold", async () => {
    const { tenantId } = await createTestTenant(services);
    const revoked = await create({ tenantId });
    await revokeKey(services, OPERATOR_CONTEXT, revoked);
    const late = await refusalOf(
      updateKey(services, OPERATOR_CONTEXT, { ...ids(revoked), name: "x" }),
    );
    expect(late.code).toBe("CONFLICT");
    const made = await create({ tenantId, scopes: ["audit:read"] });
    const past = await refusalOf(
      updateKey(services, OPERATOR_CONTEXT, { ...ids(made), expiresAt: inSeconds(-1) }),
    );
    expect(past.errors?.[0]?.pointer).toBe("/expiresAt");
    const small = contextOf({ type: "key", id: "key_1", tenantId, scopes: ["keys:write"] });
    const raised = { ...ids(made), scopes: ["audit:read" as const, "usage:read" as const] };
    expect((await refusalOf(updateKey(services, small, raised))).code).toBe("INSUFFICIENT_SCOPE");
    const kept = { ...ids(made), name: "Other", scopes: ["audit:read" as const] };
    expect((await updateKey(services, small, kept)).scopes).toEqual(["audit:read"]);
  });

  it("brings back no scope that the actor lacks: not by enabling, by more time or by more networks", async () => {
    const { tenantId } = await createTestTenant(services);
    const weak = contextOf({ type: "service_key", id: "svc_1", scopes: ["keys:write"] });
    const { keyId } = await create({
      tenantId,
      scopes: ["keys:write", "webhooks:write"],
      allowedNetworks: ["192.0.2.0/24"],
      expiresAt: inSeconds(60),
    });
    await updateKey(services, weak, { tenantId, keyId, disabled: true, name: "Held" });
    const before = await getKey(services, OPERATOR_CONTEXT, { tenantId, keyId });
    const extensions: Partial<Parameters<typeof updateKey>[2]>[] = [
      { disabled: false },
      { expiresAt: null },
      { expiresAt: inSeconds(61) },
      { allowedNetworks: [] },
      { allowedNetworks: ["192.0.2.0/24", "2001:db8::/32"] },
    ];
    for (const extension of extensions) {
      const attempt = () => updateKey(services, weak, { tenantId, keyId, ...extension });
      expect((await refusalOf(attempt())).code, JSON.stringify(extension)).toBe(
        "INSUFFICIENT_SCOPE",
      );
    }
    const changes: KeyChange[] = [
      { action: "enable" },
      { action: "set_expiry", expiresAt: null },
      { action: "set_expiry", expiresAt: inSeconds(61) },
    ];
    for (const change of changes) {
      const answer = await changeManyKeys(services, weak, { tenantId, keyIds: [keyId], change });
      expect(answer.items[0]?.error?.code).toBe("INSUFFICIENT_SCOPE");
    }
    expect(await getKey(services, OPERATOR_CONTEXT, { tenantId, keyId })).toEqual(before);
    const shorter = { tenantId, keyId, expiresAt: inSeconds(30), disabled: true };
    await updateKey(services, weak, shorter);
    await updateKey(services, weak, { tenantId, keyId, scopes: ["keys:write"], disabled: false });
  });

  it("does not see a key of another tenant, and needs keys:write", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const made = await create({ tenantId: theirs.tenantId });
    for (const input of [ids(made), { keyId: made.keyId, tenantId: ours.tenantId }]) {
      const refusal = await refusalOf(updateKey(services, ours.context, { ...input, name: "x" }));
      expect(refusal.code).toBe("RESOURCE_NOT_FOUND");
    }
    const reader = contextOf({
      type: "key",
      id: "key_1",
      tenantId: theirs.tenantId,
      scopes: ["keys:read"],
    });
    const refusal = await refusalOf(updateKey(services, reader, { ...ids(made), name: "x" }));
    expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
  });
});

function ids<
  Row extends Pick<Input, "tenantId"> & { keyId: Parameters<typeof getKey>[2]["keyId"] },
>(row: Row) {
  return { tenantId: row.tenantId, keyId: row.keyId };
}

describe("rollKey", () => {
  it("copies everything except the text; the old key works until the grace period ends", async () => {
    const { tenantId } = await createTestTenant(services);
    const made = await create({
      tenantId,
      environment: "test",
      scopes: ["usage:read"],
      metadata: { team: "a" },
    });
    const rolled = createdKey.parse(
      await rollKey(services, OPERATOR_CONTEXT, { ...ids(made), graceSeconds: 3_600 }),
    );
    expect(rolled).toMatchObject({
      name: made.name,
      environment: "test",
      scopes: ["usage:read"],
      metadata: { team: "a" },
      expiresAt: null,
      state: "active",
    });
    expect(rolled.key).not.toBe(made.key);
    const old = await getKey(services, OPERATOR_CONTEXT, made);
    expect(old).toMatchObject({
      state: "active",
      rolledToKeyId: rolled.keyId,
      expiresAt: inSeconds(3_600),
    });
  });

  it("ends the old key at once without a grace period", async () => {
    const { tenantId } = await createTestTenant(services);
    const made = await create({ tenantId });
    await rollKey(services, OPERATOR_CONTEXT, { ...ids(made), graceSeconds: 0 });
    expect((await getKey(services, OPERATOR_CONTEXT, made)).state).toBe("revoked");
  });

  it("never extends the life of a key, with any grace period", async () => {
    const { tenantId } = await createTestTenant(services);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...KEY_GRACE_SECONDS),
        fc.integer({ min: 1, max: 1_000_000 }),
        async (graceSeconds, lifeSeconds) => {
          const made = await create({ tenantId, expiresAt: inSeconds(lifeSeconds) });
          const rolled = await rollKey(services, OPERATOR_CONTEXT, { ...ids(made), graceSeconds });
          const old = await getKey(services, OPERATOR_CONTEXT, made);
          expect(rolled.expiresAt).toBe(made.expiresAt);
          if (graceSeconds > 0) {
            expect(old.expiresAt).toBe(inSeconds(Math.min(graceSeconds, lifeSeconds)));
          } else {
            expect(old.revokedAt).toBe(services.clock.now().toISOString());
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it("creates one successor, even when ten roll the key at once", async () => {
    const { tenantId } = await createTestTenant(services);
    const made = await create({ tenantId });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        rollKey(services, OPERATOR_CONTEXT, { ...ids(made), graceSeconds: 60 }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
    const page = await listKeys(services, OPERATOR_CONTEXT, { tenantId, limit: 100 });
    expect(page.items).toHaveLength(2);
  });

  it("refuses a dead key and one with more scopes than the actor", async () => {
    const { tenantId } = await createTestTenant(services);
    const disabled = await create({ tenantId });
    await updateKey(services, OPERATOR_CONTEXT, { ...ids(disabled), disabled: true });
    const revoked = await create({ tenantId });
    await revokeKey(services, OPERATOR_CONTEXT, revoked);
    for (const made of [disabled, revoked]) {
      const refusal = await refusalOf(
        rollKey(services, OPERATOR_CONTEXT, { ...ids(made), graceSeconds: 60 }),
      );
      expect(refusal.code).toBe("CONFLICT");
    }
    const powerful = await create({ tenantId, scopes: ["audit:read"] });
    const small = contextOf({ type: "key", id: "key_1", tenantId, scopes: ["keys:write"] });
    const refusal = await refusalOf(
      rollKey(services, small, { ...ids(powerful), graceSeconds: 60 }),
    );
    expect(refusal.code).toBe("INSUFFICIENT_SCOPE");
  });

  it("gives a member no scopes through a key that the role lacks", async () => {
    const { tenantId } = await createTestTenant(services);
    const memberAs = (role: Role) =>
      contextOf({
        type: "user",
        id: services.newId("user"),
        isOperator: false,
        roles: new Map([[tenantId, role]]),
      });
    const powerful = await create({ tenantId, scopes: ["audit:read"] });
    const roll = { ...ids(powerful), graceSeconds: 60 } as const;
    for (const role of ["developer", "viewer"] as const) {
      expect((await refusalOf(rollKey(services, memberAs(role), roll))).code).toBe(
        "INSUFFICIENT_SCOPE",
      );
    }
    expect((await rollKey(services, memberAs("admin"), roll)).scopes).toEqual(["audit:read"]);
  });

  it("does not see a key of another tenant", async () => {
    const { ours, theirs } = await createTwoTenants(services);
    const made = await create({ tenantId: theirs.tenantId });
    for (const input of [ids(made), { keyId: made.keyId, tenantId: ours.tenantId }]) {
      const refusal = await refusalOf(
        rollKey(services, ours.context, { ...input, graceSeconds: 0 }),
      );
      expect(refusal.code).toBe("RESOURCE_NOT_FOUND");
    }
  });

  it("verifies both keys within the grace period, and only the new one after it", async () => {
    const { tenantId } = await createTestTenant(services);
    const made = await create({ tenantId, scopes: ["usage:read"] });
    const rolled = await rollKey(services, OPERATOR_CONTEXT, { ...ids(made), graceSeconds: 60 });
    const { transact } = services;
    const { monotonicMs, now } = services.clock;
    const entitlements = createEntitlementDirectory({ transact, monotonicMs });
    const directory = createKeyDirectory({ transact, monotonicMs, now, entitlements });
    expect(await directory.findActor(made.key)).toMatchObject({ id: made.keyId });
    expect(await directory.findActor(rolled.key)).toMatchObject({ id: rolled.keyId });
    services.clock.advance(60_000);
    expect(await directory.findActor(made.key)).toBeUndefined();
    expect(await directory.findActor(rolled.key)).toMatchObject({ id: rolled.keyId });
  });
});

describe("listKeys", () => {
  it("finds by part of the name, by environment and by state", async () => {
    const { tenantId } = await createTestTenant(services);
    const make = (name: string, environment: "live" | "test" = "live") =>
      create({ tenantId, name, environment });
    const first = await make("Billing worker");
    await make("billing test", "test");
    const third = await make("Web 100%");
    const fourth = await make("Mobile");
    const list = async (filter: Partial<Parameters<typeof listKeys>[2]>) => {
      const page = await listKeys(services, OPERATOR_CONTEXT, { tenantId, limit: 100, ...filter });
      return page.items.map((item) => item.name);
    };
    expect(await list({ q: "BILLING" })).toEqual(["billing test", "Billing worker"]);
    expect(await list({ q: "%" })).toEqual(["Web 100%"]);
    expect(await list({ q: first.keyId })).toEqual(["Billing worker"]);
    expect(await list({ q: third.lastFour })).toEqual(["Web 100%"]);
    expect(await list({ environment: "test" })).toEqual(["billing test"]);
    await updateKey(services, OPERATOR_CONTEXT, { ...ids(fourth), disabled: true });
    expect(await list({ state: "disabled" })).toEqual(["Mobile"]);
    expect(await list({ state: "active" })).toHaveLength(3);
    await updateKey(services, OPERATOR_CONTEXT, { ...ids(first), expiresAt: inSeconds(60) });
    await updateKey(services, OPERATOR_CONTEXT, { ...ids(third), expiresAt: inSeconds(600) });
    expect(await list({ expiresBefore: inSeconds(300) })).toEqual(["Billing worker"]);
    expect(await list({ expiresBefore: inSeconds(600) })).toEqual(["Web 100%", "Billing worker"]);
    expect(await list({ expiresBefore: inSeconds(600), state: "expired" })).toEqual([]);
    const shown = await Promise.all(KEY_STATES.map((state) => list({ state })));
    expect(shown.flat()).toHaveLength(4);
  });

  it("pages through every order without gaps or duplicates, even among equal names", async () => {
    const { tenantId } = await createTestTenant(services);
    for (const name of ["b", "a", "B", "c", "a", "ä".repeat(100)]) {
      await create({ tenantId, name });
    }
    for (const sort of ["-createdAt", "createdAt", "name", "-name"] as const) {
      const all = await listKeys(services, OPERATOR_CONTEXT, { tenantId, limit: 100, sort });
      const paged: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await listKeys(services, OPERATOR_CONTEXT, {
          tenantId,
          limit: 2,
          sort,
          cursor,
        });
        paged.push(...page.items.map((item) => item.keyId));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(paged).toEqual(all.items.map((item) => item.keyId));
      expect(new Set(paged).size).toBe(6);
    }
  });

  it("continues where a page ended, even if its last key was renamed", async () => {
    const { tenantId } = await createTestTenant(services);
    for (const name of ["A: one", "b", "c", "d"]) {
      await create({ tenantId, name });
    }
    for (const [sort, renamed, expected] of [
      ["name", "zz", ["c", "d", "zz"]],
      ["-name", "aa", ["b", "aa", "A: one"]],
    ] as const) {
      const first = await listKeys(services, OPERATOR_CONTEXT, { tenantId, limit: 2, sort });
      const last = first.items.at(-1);
      if (last === undefined) {
        throw new Error("The first page is empty.");
      }
      await updateKey(services, OPERATOR_CONTEXT, { ...ids(last), name: renamed });
      const second = await listKeys(services, OPERATOR_CONTEXT, {
        tenantId,
        limit: 10,
        sort,
        cursor: first.nextCursor ?? undefined,
      });
      expect(second.items.map(({ name }) => name)).toEqual(expected);
      await updateKey(services, OPERATOR_CONTEXT, { ...ids(last), name: last.name });
    }
  });

  it("refuses a foreign cursor", async () => {
    const { tenantId } = await createTestTenant(services);
    for (const cursor of ["x", "key_1", "key_1:a", services.newId("key")]) {
      const refusal = await refusalOf(
        listKeys(services, OPERATOR_CONTEXT, { tenantId, limit: 2, cursor }),
      );
      expect(refusal.errors?.[0]?.pointer).toBe("/cursor");
    }
  });
});
