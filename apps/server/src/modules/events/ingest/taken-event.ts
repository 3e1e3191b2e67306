import type { Rejection } from "@turnpike/domain/events/rejection";
import type { TenantId } from "@turnpike/domain/ids/ids";

export type EventOutcome = "accepted" | "duplicate" | Rejection;

/** An event of a request, with its outcome. */
export type TakenEvent<Of = EventOutcome> = {
  value: unknown;
  outcome: Of;
  tenantId: TenantId | null;
};
