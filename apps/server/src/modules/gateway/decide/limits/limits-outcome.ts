import type { HardLimit, LeaseHold } from "#modules/metering/index.ts";
import type { CallPermits } from "./call-permits.ts";
import type { LimitView } from "./limit-view.ts";

/** What a call took of the limits: nothing, or all that it needs. */
export type LimitsOutcome =
  | {
      kind: "taken";
      /** Units of the tenant's hard limit and of the key's own; settle each or give it back. */
      hold: LeaseHold | undefined;
      keyHold: LeaseHold | undefined;
      /** To release when the call is over. */
      permits: CallPermits | undefined;
      limits: LimitView[];
    }
  | {
      kind: "refused";
      code:
        | "RATE_LIMITED"
        | "QUOTA_EXCEEDED"
        | "SPEND_CAP_REACHED"
        | "PAYMENT_REQUIRED"
        | "CONCURRENCY_LIMITED";
      detail: string;
      /** The limit that refused, and the state of all of them. A limit in money has no such state. */
      limit: LimitView | undefined;
      limits: LimitView[];
      retryAfterMs: number | undefined;
    }
  /** The lease of this limit must be refilled first. */
  | { kind: "refill"; limit: HardLimit };

export type LimitsRefusal = Extract<LimitsOutcome, { kind: "refused" }>;
