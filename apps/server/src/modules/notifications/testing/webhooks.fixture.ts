import { randomBytes } from "node:crypto";
import type { WebhookDelivery } from "@turnpike/contract/webhooks";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import {
  createTestServices,
  createTestTenant,
  OPERATOR_CONTEXT,
  type TestServices,
  type TestTenant,
} from "@turnpike/testkit/test-services";
import { startWebhookReceiver, type WebhookReceiver } from "@turnpike/testkit/webhook-receiver";
import { createGuardedOutbound } from "#platform/guarded-outbound.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createSealer } from "#platform/sealer.ts";
import { type DeliverWebhookDeps, deliverWebhook } from "../webhooks/deliver-webhook.ts";
import { listDeliveries } from "../webhooks/manage-deliveries.ts";
import { createWebhook, type WebhooksDeps } from "../webhooks/manage-webhooks.ts";
import { publishEvent } from "../webhooks/publish-event.ts";
import type { WebhookOwner } from "../webhooks/webhook-owner.ts";
import { claim, handOn } from "../webhooks/webhook-pump.ts";

export type Told = { tenantId: TenantId | null; title: string; body: string };

export type WebhookWorld = TestServices &
  DeliverWebhookDeps &
  WebhooksDeps & {
    /** The notices that people got. */
    told: Told[];
    /** Publishes and delivers everything that is due. @returns How many attempts were made. */
    deliverDue(): Promise<number>;
  };

export const WEBHOOK_TEST_SECRET = "a secret of webhooks that only tests use";
const TOGETHER = 100;

/**
 * Everything that webhooks need, on the test's own database. Receivers on this machine may be called.
 *
 * @param now - The start of its clock. Receivers compare the time of a message with their own.
 */
export function createWebhookWorld(database: TestDatabase, now: Date): WebhookWorld {
  const clock = createFakeClock(now.toISOString());
  const guardedOutbound = createGuardedOutbound({ allowPrivate: ["127.0.0.1"] });
  const told: Told[] = [];
  const deps = {
    ...createTestServices(database),
    clock,
    newId: newUuidId,
    sealer: createSealer(WEBHOOK_TEST_SECRET, "secrets of webhooks"),
    guardedOutbound,
    webhookTargets: guardedOutbound,
    // Constant, so that no delay is longer by chance.
    randomBytes: (count: number) => (count === 4 ? new Uint8Array(count) : randomBytes(count)),
    webhookNotices: {
      notifyDisabled: (_tx: unknown, notice: Told) => {
        told.push(notice);
        return Promise.resolve();
      },
    },
  };
  return {
    ...deps,
    told,
    async deliverDue() {
      let count = 0;
      for (;;) {
        while (await handOn(deps)) {
          // The next ones.
        }
        const due = await claim(deps, { permits: TOGETHER });
        if (due.length === 0) {
          return count;
        }
        await Promise.all(due.map((delivery) => deliverWebhook(deps, delivery)));
        count += due.length;
      }
    },
  };
}

/** A receiver and a tenant in an installation without endpoints. */
export type WebhookStage = {
  world: WebhookWorld;
  /** The caller closes it. */
  receiver: WebhookReceiver;
  tenant: TestTenant;
  /** Adds an endpoint at the receiver, of the tenant and for all events unless something else is given. */
  add(input?: {
    owner?: WebhookOwner;
    eventTypes?: string[];
    url?: string;
    description?: string;
  }): ReturnType<typeof createWebhook>;
  /** Publishes events of the tenant. */
  happen(count?: number): Promise<void>;
  /** Of an endpoint of the tenant, unless it is another's. */
  deliveriesOf(webhookId: string, owner?: WebhookOwner): Promise<WebhookDelivery[]>;
};

export async function openWebhookStage(database: TestDatabase, now: Date): Promise<WebhookStage> {
  await database.sql`delete from webhook_endpoints`;
  const world = createWebhookWorld(database, now);
  const receiver = await startWebhookReceiver();
  const tenant = await createTestTenant(world, `Acme ${randomBytes(4).toString("hex")}`);
  const { tenantId } = tenant;
  await database.sql`delete from webhook_outbox`;
  return {
    world,
    receiver,
    tenant,
    add: ({
      owner = tenantId,
      url = `${receiver.url}/hook`,
      description = "",
      eventTypes = ["*"],
    } = {}) => createWebhook(world, OPERATOR_CONTEXT, { owner, url, description, eventTypes }),
    async happen(count = 1) {
      for (let index = 0; index < count; index += 1) {
        const data = { tenantId, imported: index, existing: 0, refused: 0 };
        await world.transact.asTenant(tenantId, (tx) =>
          publishEvent(world, tx, { tenantId, type: "keys.imported", data }),
        );
      }
    },
    async deliveriesOf(webhookId, owner = tenantId) {
      const input = { owner, webhookId, limit: 100 };
      return (await listDeliveries(world, OPERATOR_CONTEXT, input)).items;
    },
  };
}
