import { randomBytes } from "node:crypto";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import type { TestDatabase } from "@turnpike/testkit/test-database";
import { createTestServices, type TestServices } from "@turnpike/testkit/test-services";
import { createGuardedOutbound } from "#platform/guarded-outbound.ts";
import { newUuidId } from "#platform/new-id.ts";
import { createSealer } from "#platform/sealer.ts";
import { type DeliverWebhookDeps, deliverWebhook } from "../webhooks/deliver-webhook.ts";
import type { WebhooksDeps } from "../webhooks/manage-webhooks.ts";
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
