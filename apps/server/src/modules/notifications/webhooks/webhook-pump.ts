import { setTimeout as delay } from "node:timers/promises";
import { createBell, waitFor } from "#platform/bounded-wait.ts";
import { ATTEMPT_TIMEOUT_MS, type DeliverWebhookDeps, deliverWebhook } from "./deliver-webhook.ts";
import { claimDeliveries, type DeliveryRow, handOnMessages } from "./webhook-deliveries.store.ts";

interface WebhookPump {
  /** Claims nothing more and waits for deliveries in flight. Those that do not finish in time are sent again later. */
  stop(timeoutMs: number): Promise<void>;
}

/** Longer than an attempt with its lookups and its record in the database. */
export const CLAIM_MS = ATTEMPT_TIMEOUT_MS + 45_000;
/** Deliveries in flight: from this process, and to one endpoint from all processes. */
const CONCURRENCY_MAX = 32;
export const PER_ENDPOINT_MAX = 4;
const MESSAGES_AT_ONCE = 200;
/** How soon a new event is seen. The pump polls two indexes, which is cheaper than a wake-up and cannot get lost. */
const IDLE_MS = 1_000;

/** Turns messages in the outbox into deliveries. @returns Whether there may be more. */
export async function handOn(deps: DeliverWebhookDeps): Promise<boolean> {
  const count = await deps.transact.asOperator((tx) =>
    handOnMessages(tx, deps.clock.now(), MESSAGES_AT_ONCE),
  );
  return count === MESSAGES_AT_ONCE;
}

/** Claims due deliveries. */
export async function claim(deps: DeliverWebhookDeps, limit: number): Promise<DeliveryRow[]> {
  const now = deps.clock.now();
  const until = new Date(now.getTime() + CLAIM_MS);
  return await deps.transact.asOperator((tx) =>
    claimDeliveries(tx, { now, until, limit, perEndpoint: PER_ENDPOINT_MAX }),
  );
}

/** Delivers webhooks until it is stopped. Several processes may run it concurrently. */
export function startWebhookPump(deps: DeliverWebhookDeps): WebhookPump {
  const stopping = new AbortController();
  const { signal } = stopping;
  const freed = createBell();
  const running = new Set<Promise<void>>();

  function begin(delivery: DeliveryRow): void {
    const run = deliverWebhook(deps, delivery)
      .catch((error: unknown) => {
        deps.logger.warn(
          { err: error, messageId: delivery.message_id },
          "a webhook will be retried",
        );
      })
      .finally(() => {
        running.delete(run);
        freed.ring();
      });
    running.add(run);
  }

  async function round(): Promise<boolean> {
    const hasMore = await handOn(deps);
    const free = CONCURRENCY_MAX - running.size;
    const claimed = free > 0 ? await claim(deps, free) : [];
    for (const delivery of claimed) {
      begin(delivery);
    }
    return hasMore && free > 0;
  }

  async function run(): Promise<void> {
    let isFailing = false;
    while (!signal.aborted) {
      const heard = freed.next();
      let hasMore = false;
      try {
        hasMore = await round();
        isFailing = false;
      } catch (error) {
        if (!isFailing) {
          deps.logger.warn({ err: error }, "webhooks cannot be read");
        }
        isFailing = true;
      }
      if (!hasMore) {
        await waitFor({ heard, timeoutMs: IDLE_MS, signal });
      }
    }
  }

  const loop = run();
  return {
    async stop(timeoutMs) {
      stopping.abort();
      await loop;
      await Promise.race([
        Promise.allSettled(running),
        delay(timeoutMs, undefined, { ref: false }),
      ]);
    },
  };
}
