import type { AlertConditionInput } from "@turnpike/contract/alerts";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { type AlertCondition, settledMinuteMs } from "@turnpike/domain/alerts/alert-rule";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { refusalWithin } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { measureWindow, type WindowInput } from "./measure-window.ts";

/** @throws {AppError} `RESOURCE_NOT_FOUND`; `INSUFFICIENT_SCOPE`. */
export function assertMayAlerts(
  context: CallContext,
  verb: "read" | "write",
  tenantId: TenantId,
): void {
  assertMayInTenant(context.actor, `alerts:${verb}`, tenantId);
}

/**
 * What an alert, or a preview of one, says of usage is for those alone who may read usage themselves: questions are asked by
 * Turnpike, whoever wants to know.
 *
 * @throws {AppError} As {@link assertMayAlerts}.
 */
export function assertMayAsk(
  context: CallContext,
  verb: "read" | "write",
  tenantId: TenantId,
): void {
  assertMayAlerts(context, verb, tenantId);
  assertMayInTenant(context.actor, "usage:read", tenantId);
}

/** What recovers at the threshold itself when nothing else was chosen. */
export function toCondition(input: AlertConditionInput): AlertCondition {
  if (input.kind === "no_data") {
    return { kind: input.kind };
  }
  const { clear = input.threshold } = input;
  return { ...input, clear };
}

/** From the name of a parameter of usage to the field of an alert that it comes from. */
function toAlertPointer(pointer: string): string {
  const name = pointer.slice(1);
  if (name === "measures") {
    return "/query/measure";
  }
  return name === "from" || name === "to" || name === "grain"
    ? "/windowMinutes"
    : `/query/filters/${name}`;
}

/**
 * Asks the question of an alert once, so that one that cannot be answered is refused where somebody reads it.
 *
 * @throws {AppError} `INVALID_REQUEST` at the field of the alert; `QUERY_TOO_COSTLY`; `RESOURCE_NOT_FOUND`.
 */
export async function assertAnswerable(deps: AppServices, input: WindowInput): Promise<void> {
  try {
    await measureWindow(deps, input, settledMinuteMs(deps.clock.now().getTime()));
  } catch (error) {
    throw refusalWithin(error, toAlertPointer);
  }
}
