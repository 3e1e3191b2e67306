import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { Environment } from "@turnpike/domain/keys/key-format";
import { writeAudit } from "#modules/audit/index.ts";
import { type ApplyEventDeps, applyEvent, isOfProvider } from "./apply-event.ts";
import { listEventsToRetry } from "./provider-events.store.ts";

/** As many as a request can wait for. */
const AT_ONCE = 50;

/**
 * Tries again now what providers have reported and could not be applied, those that were tried least first. One that fails again holds up
 * no other; a provider that is down ends the run. For the operator's actors.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE`.
 */
export async function retryPaymentEvents(
  deps: ApplyEventDeps,
  context: CallContext,
  { environment }: { environment: Environment },
): Promise<{ applied: number; failed: number; left: number }> {
  assertMay(context.actor, "invoices:write");
  const list = (limit: number) =>
    deps.transact.asOperator((tx) => listEventsToRetry(tx, { environment, limit }));
  const { keys } = await list(AT_ONCE);
  let applied = 0;
  let tried = 0;
  for (const key of keys) {
    tried += 1;
    try {
      applied += (await applyEvent(deps, key)) === undefined ? 0 : 1;
    } catch (error) {
      deps.logger.warn({ err: error, ...key }, "What a provider reported could not be applied");
      // The others would wait for it just as long, and so would the person.
      if (isOfProvider(error)) {
        break;
      }
    }
  }
  const { count } = await list(1);
  if (keys.length > 0) {
    await deps.transact.asOperator((tx) =>
      writeAudit(deps, tx, context, {
        tenantId: null,
        action: "payment_events.retried",
        entityType: "payment_event",
        entityId: keys[0]?.eventId ?? "",
        details: { environment, tried, applied },
      }),
    );
  }
  return { applied, failed: tried - applied, left: count };
}
