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
 * Alerts and their previews show usage, and Turnpike queries it on the caller's behalf. So only callers who may read usage
 * themselves may use them.
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

/** The value at which an alert recovers when none was chosen: the threshold itself. */
export function toCondition(input: AlertConditionInput): AlertCondition {
  if (input.kind === "no_data") {
    return { kind: input.kind };
  }
  const { clear = input.threshold } = input;
  return { ...input, clear };
}

/** The field of an alert behind each parameter of a usage query. */
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
 * Asks an alert's question once, so that an unanswerable one is refused at once, where the caller sees it.
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
