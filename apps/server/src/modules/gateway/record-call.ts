import { AppError } from "@turnpike/domain/errors/app-error";
import { ERROR_CODES } from "@turnpike/domain/errors/error-codes";
import { CLIENT_ABORTED_STATUS, isBillableStatus } from "@turnpike/domain/metering/outcome";
import type { LeaseHolder, MeteredCall, UsageRecorder } from "#modules/metering/index.ts";
import type { Clock } from "#platform/clock.ts";
import type { Admission, Denial, Subject } from "./decide-call.ts";

/** How an admitted call came out: the upstream's status, or why there is none. */
export type AdmittedOutcome =
  | { kind: "status"; status: number }
  | { kind: "failed"; code: Exclude<MeteredCall["outcome"], "VALID"> };

export type CallRecorder = {
  /** True when so much waits to be recorded that no further call may be admitted. */
  readonly isSaturated: boolean;
  /** Writes down an admitted call, once, when its outcome is known; what is not billed goes back to the limit. */
  recordAdmitted(admission: Admission, meterId: string, outcome: AdmittedOutcome): void;
  /** Undoes the admission of a call that never went on its way and is not written down. */
  abandon(admission: Admission): void;
  /** Writes down a refused call of a known key. Unknown keys belong to nobody's ledger. */
  recordDenied(denial: Denial, meterId: string): void;
};

function statusOf(outcome: AdmittedOutcome): number {
  if (outcome.kind === "status") {
    return outcome.status;
  }
  return outcome.code === "CLIENT_ABORTED"
    ? CLIENT_ABORTED_STATUS
    : ERROR_CODES[outcome.code].status;
}

/** @throws {AppError} `OVERLOADED`: what cannot be written down must not be let through. */
export function assertRecordable(callRecorder: Pick<CallRecorder, "isSaturated">): void {
  if (callRecorder.isSaturated) {
    throw new AppError({
      code: "OVERLOADED",
      publicMessage: "Too much usage waits to be recorded.",
      headers: { "retry-after": "5" },
    });
  }
}

export function createCallRecorder(deps: {
  recorder: UsageRecorder;
  leases: LeaseHolder;
  clock: Clock;
}): CallRecorder {
  function toCall(
    subject: Subject,
    meterId: string,
  ): Omit<MeteredCall, "outcome" | "status" | "quantity" | "leaseId"> {
    return {
      tenantId: subject.tenant.tenantId,
      keyId: subject.key.keyId,
      environment: subject.key.environment,
      meterId,
      occurredAtMs: deps.clock.now().getTime(),
      periodStartMs: subject.periodStartMs,
      periodEndMs: subject.periodEndMs,
    };
  }

  return {
    get isSaturated() {
      return deps.recorder.isSaturated;
    },
    abandon: ({ hold }) => {
      if (hold !== undefined) {
        deps.leases.giveBack(hold);
      }
    },
    recordAdmitted: (admission, meterId, outcome) => {
      const isBilled = outcome.kind === "status" && isBillableStatus(outcome.status);
      const { hold } = admission;
      deps.recorder.record({
        ...toCall(admission, meterId),
        outcome: outcome.kind === "status" ? "VALID" : outcome.code,
        status: statusOf(outcome),
        quantity: isBilled ? admission.cost : 0,
        leaseId: isBilled ? hold?.slice.leaseId : undefined,
      });
      if (hold === undefined) {
        return;
      }
      if (isBilled) {
        deps.leases.settle(hold);
      } else {
        deps.leases.giveBack(hold);
      }
    },
    recordDenied: (denial, meterId) => {
      if (denial.subject !== undefined) {
        deps.recorder.record({
          ...toCall(denial.subject, meterId),
          outcome: denial.code,
          status: ERROR_CODES[denial.code].status,
          quantity: 0,
          leaseId: undefined,
        });
      }
    },
  };
}
