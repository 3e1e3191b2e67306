import { setTimeout as delay } from "node:timers/promises";
import { allotPermits } from "@turnpike/domain/webhooks/allot-permits";
import { createBell, waitFor } from "#platform/bounded-wait.ts";
import { ATTEMPT_TIMEOUT_MS, type DeliverWebhookDeps, deliverWebhook } from "./deliver-webhook.ts";
import {
  claimDeliveries,
  type DeliveryRow,
  handOnMessages,
  listDueEndpoints,
} from "./webhook-deliveries.store.ts";

interface WebhookPump {
  /** Claims nothing more and waits for deliveries in flight. Those that do not finish in time are sent again later. */
  stop(timeoutMs: number): Promise<void>;
}

/** Longer than an attempt with its lookups and its record in the database. */
export const CLAIM_MS = ATTEMPT_TIMEOUT_MS + 45_000;
/** Deliveries in flight: from this process, and to one endpoint from all processes. An owner has a share of the first. */
export const PERMITS = 32;
export const PER_ENDPOINT_MAX = 4;
const MESSAGES_AT_ONCE = 200;
/** How soon a new event is seen. The pump polls two indexes, which is cheaper than a wake-up and cannot get lost. */
const IDLE_MS = 1_000;

/** Sums a count by owner. */
function countBy<Item>(
  items: Iterable<Item>,
  countOf: (item: Item) => readonly [owner: string, count: number],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const [owner, count] = countOf(item);
    counts.set(owner, (counts.get(owner) ?? 0) + count);
  }
  return counts;
}

/** Turns messages in the outbox into deliveries. @returns Whether there may be more. */
export async function handOn(deps: DeliverWebhookDeps): Promise<boolean> {
  const count = await deps.transact.asOperator((tx) =>
    handOnMessages(tx, deps.clock.now(), MESSAGES_AT_ONCE),
  );
  return count === MESSAGES_AT_ONCE;
}

/**
 * Claims due deliveries, as many as there are permits, shared out fairly among the owners of their endpoints.
 *
 * @param pool.permits - Of this process, in use or free.
 * @param pool.held - In use by each owner.
 */
export async function claim(
  deps: DeliverWebhookDeps,
  { permits, held = new Map() }: { permits: number; held?: ReadonlyMap<string, number> },
): Promise<DeliveryRow[]> {
  const now = deps.clock.now();
  const until = new Date(now.getTime() + CLAIM_MS);
  return await deps.transact.asOperator(async (tx) => {
    const due = await listDueEndpoints(tx, { now, perEndpoint: PER_ENDPOINT_MAX });
    const waiting = countBy(due, (one) => [one.tenant_id, one.due]);
    const perOwner = allotPermits({ permits, held, waiting });
    const endpoints = due.filter((one) => perOwner.has(one.tenant_id));
    return endpoints.length === 0
      ? []
      : await claimDeliveries(tx, {
          now,
          until,
          endpoints,
          perOwner,
          perEndpoint: PER_ENDPOINT_MAX,
        });
  });
}

/** Delivers webhooks until it is stopped. Several processes may run it concurrently. */
export function startWebhookPump(deps: DeliverWebhookDeps): WebhookPump {
  const stopping = new AbortController();
  const { signal } = stopping;
  const freed = createBell();
  const running = new Map<Promise<void>, DeliveryRow>();

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
    running.set(run, delivery);
  }

  async function round(): Promise<boolean> {
    const hasMore = await handOn(deps);
    const isFull = running.size >= PERMITS;
    const held = countBy(running.values(), (delivery) => [delivery.tenant_id, 1]);
    const claimed = isFull ? [] : await claim(deps, { permits: PERMITS, held });
    for (const delivery of claimed) {
      begin(delivery);
    }
    return hasMore && !isFull;
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
        Promise.allSettled(running.keys()),
        delay(timeoutMs, undefined, { ref: false }),
      ]);
    },
  };
}
