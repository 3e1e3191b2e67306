import { pollUntil } from "@turnpike/testkit/poll-until";
import { type SpawnedScript, spawnScript } from "@turnpike/testkit/spawn-script";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createTestTenant, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { startWebhookReceiver, type WebhookReceiver } from "@turnpike/testkit/webhook-receiver";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createWebhookWorld, WEBHOOK_TEST_SECRET } from "../testing/webhooks.fixture.ts";
import { createWebhook } from "./manage-webhooks.ts";
import { publishEvent } from "./publish-event.ts";
import { CLAIM_MS, PER_ENDPOINT_MAX } from "./webhook-pump.ts";

const SERVER = new URL("../../../", import.meta.url).href;

/** The pump in a process of its own, on the real parts, with its clock ahead by `aheadMs`. */
const PUMP = `
  const [target, secret, aheadMs] = process.argv.slice(1);
  const from = (path) => import(${JSON.stringify(SERVER)} + path);
  const { openPostgresPool } = await from("platform/postgres-pool.ts");
  const { createGuardedOutbound } = await from("platform/guarded-outbound.ts");
  const { createSealer } = await from("platform/sealer.ts");
  const { createLogger } = await from("platform/logger.ts");
  const { newUuidId } = await from("platform/new-id.ts");
  const { startWebhookPump } = await from("modules/notifications/index.ts");
  const { randomBytes } = await import("node:crypto");
  const pool = openPostgresPool(JSON.parse(target), { applicationName: "pump", connectionsMax: 4 });
  startWebhookPump({
    transact: pool.transact,
    clock: { now: () => new Date(Date.now() + Number(aheadMs)), monotonicMs: () => performance.now() },
    newId: newUuidId,
    logger: createLogger({ level: "silent" }),
    randomBytes: (count) => randomBytes(count),
    sealer: createSealer(secret, "secrets of webhooks"),
    guardedOutbound: createGuardedOutbound({ allowPrivate: ["127.0.0.1"] }),
    webhookNotices: { notifyDisabled: async () => undefined },
  });
  console.log("started");
  setInterval(() => undefined, 60_000);
`;

describe("webhooks of a killed process", () => {
  let database: TestDatabase;
  let receiver: WebhookReceiver;
  let pump: SpawnedScript | undefined;

  beforeAll(async () => {
    database = await createTestDatabase();
    receiver = await startWebhookReceiver();
  });
  afterEach(async () => {
    await pump?.kill();
  });
  afterAll(async () => {
    await receiver.close();
    await database.close();
  });

  it("are all delivered by the next process: none is lost, and repeated ones have the same id", async () => {
    const EVENTS = 40;
    const KILLS = 3;
    const world = createWebhookWorld(database, new Date());
    const { tenantId } = await createTestTenant(world);
    await database.sql`delete from webhook_outbox`;
    const { secret } = await createWebhook(world, OPERATOR_CONTEXT, {
      owner: tenantId,
      url: receiver.url,
      description: "",
      eventTypes: ["*"],
    });
    const happen = (count: number) =>
      world.transact.asTenant(tenantId, async (tx) => {
        for (let index = 0; index < count; index += 1) {
          const data = { tenantId, imported: 1, existing: 0, refused: 0 };
          await publishEvent(world, tx, { tenantId, type: "keys.imported", data });
        }
      });
    const start = async (aheadMs: number) => {
      pump = spawnScript(
        PUMP,
        JSON.stringify(database.target),
        WEBHOOK_TEST_SECRET,
        String(aheadMs),
      );
      await pump.nextLine();
    };
    const cutOff = new Set<string>();

    for (let kill = 0; kill < KILLS; kill += 1) {
      await happen(EVENTS / (KILLS + 1));
      // It answers a few and leaves the rest hanging: those are in flight when the process dies.
      let answered = 0;
      const hanging = new Set<string>();
      receiver.answer = (res, message) => {
        answered += 1;
        if (answered <= 3) {
          res.end();
        } else {
          hanging.add(message.headers["webhook-id"] ?? "");
        }
      };
      await start(kill * (CLAIM_MS + 1_000));
      await pollUntil("messages are in flight", () => hanging.size === PER_ENDPOINT_MAX);
      await pump?.kill();
      for (const id of hanging) {
        cutOff.add(id);
      }
    }
    await happen(EVENTS / (KILLS + 1));
    receiver.answer = (res) => res.end();
    await start(KILLS * (CLAIM_MS + 1_000));
    await pollUntil("everything is delivered", async () => {
      const rows = await database.sql`
        select 1 from webhook_deliveries where state = 'succeeded'`;
      return rows.length === EVENTS;
    });

    const counts = new Map<string, number>();
    const bodies = new Map<string, Set<string>>();
    for (const { headers, body } of receiver.received) {
      const id = headers["webhook-id"] ?? "";
      counts.set(id, (counts.get(id) ?? 0) + 1);
      bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
    }
    const rows = await database.sql<{ message_id: string }[]>`
      select message_id from webhook_deliveries`;
    expect([...counts.keys()].sort()).toEqual(rows.map((row) => row.message_id).sort());
    expect(counts.size).toBe(EVENTS);
    expect([...bodies.values()].every((each) => each.size === 1)).toBe(true);
    expect(cutOff.size).toBeGreaterThanOrEqual(PER_ENDPOINT_MAX);
    for (const id of cutOff) {
      expect(counts.get(id)).toBeGreaterThan(1);
    }
    const [first] = receiver.received;
    new Webhook(secret).verify(first?.body ?? "", first?.headers ?? {});
  });
});
