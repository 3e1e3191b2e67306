import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import type { KeyId } from "@turnpike/domain/ids/ids";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { insertTestTenant } from "@turnpike/testkit/test-services";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KeyDirectory, KeyRecord } from "#modules/keys/index.ts";
import { hashKey } from "#modules/keys/index.ts";
import { reconcile, startMetering } from "#modules/metering/index.ts";
import { createLogger } from "#platform/logger.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createTransact } from "#platform/transact.ts";
import { createCallRecorder, VERIFICATION } from "../../record-call.ts";
import { createDecider } from "../decide-call.ts";
import type { LimitView } from "./limit-view.ts";
import { createRateLimiter } from "./rate-limiter.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const NOW = new Date("2026-05-10T12:00:00Z");
/** Does not move, so that a bucket of a rate limit is a plain number of calls. */
const CLOCK = { now: () => NOW, monotonicMs: () => 5_000 };
const OPERATOR = { actor: { type: "operator", id: "test" }, requestId: "req_test" } as const;

type Limits = { tenantRate: number; tenantQuota: number; keyRate: number; keyQuota: number };
/** The keys a and b are of one line; c stands alone and has no limit of its own. */
type Step = { key: "a" | "b" | "c"; cost: number; isBilled: boolean };

/** What four plain numbers would do: a call passes when all have room, and only then all are taken from. */
function createModel(limits: Limits) {
  const left = { ...limits };
  const hasKeyLimits = (step: Step) => step.key !== "c";
  return {
    left,
    codeOf(step: Step): string {
      const isRateLimited = left.tenantRate < 1 || (hasKeyLimits(step) && left.keyRate < 1);
      if (isRateLimited) {
        return "RATE_LIMITED";
      }
      const units = Math.max(1, step.cost);
      const isUsedUp = left.tenantQuota < units || (hasKeyLimits(step) && left.keyQuota < units);
      return isUsedUp ? "QUOTA_EXCEEDED" : "VALID";
    },
    take(step: Step): void {
      if (step.cost === 0) {
        return;
      }
      const units = step.isBilled ? step.cost : 0;
      left.tenantRate -= 1;
      left.tenantQuota -= units;
      if (hasKeyLimits(step)) {
        left.keyRate -= 1;
        left.keyQuota -= units;
      }
    },
  };
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    key: fc.constantFrom("a" as const, "b" as const, "c" as const),
    cost: fc.integer({ min: 0, max: 4 }),
    isBilled: fc.boolean(),
  }),
  { maxLength: 40 },
);
const limits: fc.Arbitrary<Limits> = fc.record({
  tenantRate: fc.integer({ min: 1, max: 25 }),
  tenantQuota: fc.integer({ min: 0, max: 40 }),
  keyRate: fc.integer({ min: 1, max: 15 }),
  keyQuota: fc.integer({ min: 0, max: 25 }),
});

async function createEntitlement({ tenantRate, tenantQuota }: Limits): Promise<Entitlement> {
  return {
    tenantId: await insertTestTenant(database.sql),
    suspended: false,
    standing: "current",
    planId: "plan",
    planVersion: 1,
    periodAnchor: new Date("2026-05-01T00:00:00Z"),
    periodUnit: "month",
    terms: {
      name: "Plan",
      description: "",
      currency: "EUR",
      pricePerMonth: "0",
      visibility: "public",
      rateLimits: [{ name: "burst", limit: tenantRate, windowSeconds: 60 }],
      quotas: [{ meter: "requests", limit: tenantQuota, kind: "hard" }],
    },
  };
}

function toKeyRecord(tenant: Entitlement, origin: KeyId, own: Limits | undefined): KeyRecord {
  return {
    keyId: newUuidId("key"),
    originKeyId: origin,
    tenantId: tenant.tenantId,
    nameText: `"Key"`,
    environment: "live",
    scopes: [],
    metadataText: "{}",
    networks: undefined,
    rateLimits: own === undefined ? [] : [{ name: "burst", limit: own.keyRate, windowSeconds: 60 }],
    quotas: own === undefined ? [] : [{ meter: "requests", limit: own.keyQuota }],
    expiresAtMs: Number.POSITIVE_INFINITY,
    updatedAtMs: 0,
    disabled: false,
    revoked: false,
  };
}

/** The directory of one tenant; the text of a key is its letter. */
function createDirectory(
  tenant: Entitlement,
  own: Limits,
): Pick<KeyDirectory, "peekKey" | "loadKey"> {
  const line = newUuidId("key");
  const keys = new Map([
    [hashKey("a"), toKeyRecord(tenant, line, own)],
    [hashKey("b"), toKeyRecord(tenant, line, own)],
    [hashKey("c"), toKeyRecord(tenant, newUuidId("key"), undefined)],
  ]);
  return {
    peekKey: (hash) => keys.get(hash) ?? null,
    loadKey: (hash) => Promise.resolve(keys.get(hash) ?? null),
  };
}

function leftOf(views: readonly LimitView[]): Partial<Limits> {
  const names = { "tenant rate_limit": "tenantRate", "tenant quota": "tenantQuota" } as const;
  const own = { "key rate_limit": "keyRate", "key quota": "keyQuota" } as const;
  const all: Readonly<Record<string, keyof Limits>> = { ...names, ...own };
  return Object.fromEntries(
    views.map((view) => [all[`${view.scope} ${view.kind}`], view.remaining]),
  );
}

describe("limits of a tenant and of its keys", () => {
  it("let a call pass when all do, and take from none when one refuses, in any order of calls", async () => {
    const services = {
      transact: createTransact(database.sql),
      logger: createLogger({ level: "silent" }),
      newId: newUuidId,
      clock: CLOCK,
    };
    await fc.assert(
      fc.asyncProperty(limits, steps, async (given, sequence) => {
        await using folder = await makeTempFolder();
        const metering = await startMetering(
          { ...services, folder: folder.path },
          { groupIntervalMs: 5 },
        );
        const tenant = await createEntitlement(given);
        const decideCall = createDecider({
          directory: createDirectory(tenant, given),
          entitlements: { peek: () => tenant, load: () => Promise.resolve(tenant) },
          leases: metering.leases,
          rateLimiter: createRateLimiter(CLOCK),
          clock: CLOCK,
          changesSilentMs: () => 0,
        });
        const recorder = createCallRecorder({ ...metering, clock: CLOCK });
        const model = createModel(given);
        try {
          for (const step of sequence) {
            const call = { keyText: step.key, meterId: "requests", cost: step.cost };
            const decision = await decideCall({ ...call, findAddress: () => undefined });
            const expected = model.codeOf(step);
            expect(decision.allowed ? "VALID" : decision.code).toBe(expected);
            if (decision.allowed && step.cost > 0) {
              recorder.recordAdmitted(decision, VERIFICATION, {
                kind: "status",
                status: step.isBilled ? 200 : 500,
              });
            }
            if (expected === "VALID") {
              model.take(step);
            }
            // What is reported right after a call that is not billed still holds its units.
            if (expected !== "VALID" || step.isBilled || step.cost === 0) {
              const { tenantRate, tenantQuota, ...own } = model.left;
              const left = { tenantRate, tenantQuota, ...(step.key === "c" ? {} : own) };
              // A refusal by one limit does not query the database for another that is still unknown.
              const known = leftOf(decision.limits);
              expect(left).toMatchObject(known);
              expect(decision.allowed ? known : left).toEqual(left);
            }
          }
        } finally {
          await metering.stop(5_000);
        }
        const [used] = await database.sql<{ tenant: number; key: number; leases: number }[]>`
          select
            (select coalesce(sum(used), 0)::int from balances where tenant_id = ${tenant.tenantId}) as tenant,
            (select coalesce(sum(used), 0)::int from usage_of_keys where tenant_id = ${tenant.tenantId}) as key,
            (select count(*)::int from leases where tenant_id = ${tenant.tenantId}) as leases`;
        const usedUnits = given.tenantQuota - model.left.tenantQuota;
        expect(used).toEqual({ tenant: usedUnits, key: usedUnits, leases: 0 });
      }),
      { numRuns: 60 },
    );
    // Keys here are in no table, so that each is a line of its own: only the sums of tenants can be compared.
    const { findings } = await reconcile(services, OPERATOR);
    expect(findings.filter((finding) => finding.what !== "key balance")).toEqual([]);
  });
});
