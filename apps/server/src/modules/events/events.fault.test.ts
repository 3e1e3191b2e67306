import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { meterInput } from "@turnpike/contract/catalog";
import type { EventReceipt } from "@turnpike/contract/events";
import type { TenantId } from "@turnpike/domain/ids/ids";
import {
  databaseUrlOf,
  type ProductProcess,
  SHARED_SECRETS,
  startProduct,
} from "@turnpike/testkit/product-process";
import { IS_SOAK } from "@turnpike/testkit/soak";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices, OPERATOR_CONTEXT } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMeter } from "#modules/catalog/create-meter.ts";
import { tenantPlans } from "#modules/entitlements/index.ts";
import { createServiceKey } from "#modules/keys/index.ts";
import { reconcile } from "#modules/metering/index.ts";
import { createTenant } from "#modules/tenants/index.ts";

const ROUNDS = IS_SOAK ? 20 : 2;
const CLIENTS = 4;
const BATCHES_A_ROUND = 12;
const EVENTS_A_BATCH = 50;
/** Requests in which the events of a round are sent a second time. */
const MIRRORS = 7;
/** Batches answered before a kill, at most. The others are under way or not sent yet. */
const ANSWERED_BEFORE_KILL_MAX = 6;
const RETRY_MS = 50;

let folder: TempFolder;
let database: TestDatabase;
/** One that is killed again and again, and one that keeps running. */
let product: ProductProcess;
let steady: ProductProcess;
let url: string;
let steadyUrl: string;
let serviceKey: string;
let tenants: TenantId[];

function startAt(name: string): ProductProcess {
  return startProduct({
    cwd: folder.path,
    env: {
      DATABASE_URL: databaseUrlOf(database),
      TURNPIKE_DATA_DIR: join(folder.path, name),
      TURNPIKE_LOG_LEVEL: "error",
      ...SHARED_SECRETS,
    },
  });
}

async function start(): Promise<void> {
  product = startAt("data");
  url = (await product.ready).console;
}

beforeAll(async () => {
  folder = await makeTempFolder();
  database = await createTestDatabase();
  await start();
  steady = startAt("steady");
  steadyUrl = (await steady.ready).console;
  const services = createLiveServices(database);
  const deps = { ...services, plans: tenantPlans };
  tenants = await Promise.all(
    ["one", "two", "three"].map(
      async (name) => (await createTenant(deps, OPERATOR_CONTEXT, { name })).tenantId,
    ),
  );
  await createMeter(
    services,
    OPERATOR_CONTEXT,
    meterInput.parse({
      meterId: "tokens",
      name: "Tokens",
      unit: "token",
      aggregation: "sum",
      eventType: "llm.call",
      valuePointer: "/tokens",
    }),
  );
  const made = await createServiceKey(services, OPERATOR_CONTEXT, {
    name: "Test",
    scopes: ["events:write"],
  });
  serviceKey = made.key;
});
afterAll(async () => {
  for (const one of [product, steady]) {
    one.kill("SIGTERM");
    await one.ended;
  }
  await database.close();
  await folder[Symbol.asyncDispose]();
});

type Sent = { answers: EventReceipt[]; tries: number };

/** Sends a batch until it is answered, alternating between the processes, as a client does that must lose nothing. */
async function sendUntilAnswered(events: readonly object[], turn: number): Promise<Sent> {
  for (let tries = 1; ; tries += 1) {
    try {
      const base = (turn + tries) % 3 === 0 ? steadyUrl : url;
      const reply = await fetch(`${base}/v1/events`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${serviceKey}`,
          "content-type": "application/cloudevents-batch+json",
        },
        body: JSON.stringify(events),
      });
      if (reply.status === 200) {
        return { answers: [(await reply.json()) as EventReceipt], tries };
      }
      await reply.body?.cancel();
    } catch {
      // The process was killed before it answered, or has not started again yet.
    }
    await delay(RETRY_MS);
  }
}

describe("guarantee: no event is lost or doubled by kill -9", () => {
  it(
    "over rounds of kills, with clients that resend unanswered batches",
    async () => {
      let expected = 0;
      let interrupted = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const batches = Array.from({ length: BATCHES_A_ROUND }, (_, batch) =>
          Array.from({ length: EVENTS_A_BATCH }, (_event, place) => ({
            specversion: "1.0",
            id: `${String(round)}-${String(batch)}-${String(place)}`,
            source: "/kill",
            type: "llm.call",
            subject: tenants[place % tenants.length],
            data: { tokens: 1 },
          })),
        );
        // The same events in another order and other batches, concurrently, to the process that is not killed.
        const mirrored = batches.flat().reverse();
        const again = Promise.all(
          Array.from({ length: MIRRORS }, (_, mirror) =>
            sendUntilAnswered(
              mirrored.filter((_event, place) => place % MIRRORS === mirror),
              1,
            ),
          ),
        );
        const { promise: mayKill, resolve: allowKill } = Promise.withResolvers<void>();
        let answered = 0;
        const sent = Promise.all(
          Array.from({ length: CLIENTS }, async (_, client) => {
            const results: Sent[] = [];
            for (let at = client; at < batches.length; at += CLIENTS) {
              results.push(await sendUntilAnswered(batches[at] ?? [], at));
              answered += 1;
              if (answered > (round * 2) % ANSWERED_BEFORE_KILL_MAX) {
                allowKill();
              }
            }
            return results;
          }),
        );
        await mayKill;
        product.kill("SIGKILL");
        await product.ended;
        await start();
        for (const { answers, tries } of (await sent).flat()) {
          for (const { accepted, duplicates, rejected } of answers) {
            expect([accepted + duplicates, rejected]).toEqual([EVENTS_A_BATCH, 0]);
          }
          interrupted += tries > 1 ? 1 : 0;
        }
        for (const { answers } of await again) {
          expect(answers[0]?.rejected).toBe(0);
        }
        expected += BATCHES_A_ROUND * EVENTS_A_BATCH;
        const [row] = await database.sql<{ ids: number; events: number; used: number }[]>`
          select (select count(*) from event_ids)::int as ids, (select count(*) from usage_events)::int as events,
            (select sum(used) from balances where meter_id = 'tokens')::int as used`;
        expect(row).toEqual({ ids: expected, events: expected, used: expected });
      }
      // A run that interrupted no client would prove nothing.
      expect(interrupted).toBeGreaterThan(0);
      const { drift } = await reconcile(createLiveServices(database), OPERATOR_CONTEXT);
      expect(drift).toBe(0);
    },
    ROUNDS * 10 * 60_000,
  );
});
