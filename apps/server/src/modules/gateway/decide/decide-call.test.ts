import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
} from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEntitlementDirectory } from "#modules/entitlements/index.ts";
import { createKey, createKeyDirectory, revokeKey } from "#modules/keys/index.ts";
import { startMetering } from "#modules/metering/index.ts";
import { createDecider } from "./decide-call.ts";
import { createRateLimiter } from "./limits/rate-limiter.ts";

let database: TestDatabase;
let services: TestServices;
beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
});
afterAll(() => database.close());

describe("createDecider", () => {
  it.each([
    { awaited: "units of a limit", meterId: "requests" },
    { awaited: "the record of its tenant", meterId: "without-limit" },
  ])(
    "refuses a key that was revoked while its call waited for $awaited",
    async ({ awaited, meterId }) => {
      const { tenantId } = await createTestTenant(services);
      const key = await createKey(services, OPERATOR_CONTEXT, {
        tenantId,
        name: "Key",
        environment: "live",
        scopes: [],
        metadata: {},
      });
      const { monotonicMs, now } = services.clock;
      const { transact } = services;
      const entitlements = createEntitlementDirectory({ transact, monotonicMs });
      const directory = createKeyDirectory({ transact, monotonicMs, now, entitlements });
      const asked = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      let isHeld = false;
      const waitFor = async (what: typeof awaited): Promise<void> => {
        if (isHeld && what === awaited) {
          asked.resolve();
          await gate.promise;
        }
      };
      await using folder = await makeTempFolder();
      const metering = await startMetering(
        {
          ...services,
          folder: folder.path,
          transact: {
            ...services.transact,
            asMeter: async (work) => {
              await waitFor("units of a limit");
              return await services.transact.asMeter(work);
            },
          },
        },
        { groupIntervalMs: 5 },
      );
      isHeld = true;
      const decideCall = createDecider({
        directory,
        entitlements: {
          peek: entitlements.peek,
          load: async (id) => {
            await waitFor("the record of its tenant");
            return await entitlements.load(id);
          },
        },
        leases: metering.leases,
        rateLimiter: createRateLimiter({ monotonicMs }),
        clock: services.clock,
        changesSilentMs: () => 0,
      });
      const decision = decideCall({
        keyText: key.key,
        meterId,
        cost: 1,
        findAddress: () => undefined,
      });
      await asked.promise;
      await revokeKey(services, OPERATOR_CONTEXT, { tenantId, keyId: key.keyId });
      directory.applyChange({ kind: "key", tenantId, entityId: key.keyId, revision: 1n });
      gate.resolve();
      expect(await decision).toMatchObject({ allowed: false, code: "REVOKED" });
      await metering.stop(5_000);
    },
  );
});
