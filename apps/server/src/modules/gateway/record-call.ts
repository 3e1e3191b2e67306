import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { AppError } from "@turnpike/domain/errors/app-error";
import { ERROR_CODES } from "@turnpike/domain/errors/error-codes";
import type { CallMethod } from "@turnpike/domain/metering/call-method";
import { createModelRegistry } from "@turnpike/domain/metering/model-registry";
import { CLIENT_ABORTED_STATUS, isBillableStatus } from "@turnpike/domain/metering/outcome";
import type { PathMode } from "@turnpike/domain/privacy/redact";
import { createRouteRegistry, OTHER_ROUTE } from "@turnpike/domain/routes/route-registry";
import type {
  CallMeasure,
  LeaseHold,
  LeaseHolder,
  MeteredCall,
  UsageRecorder,
} from "#modules/metering/index.ts";
import type { Clock } from "#platform/clock.ts";
import type { Subject } from "./decide/call-to-decide.ts";
import type { Admission } from "./decide/decide-call.ts";
import type { Denial } from "./decide/denial.ts";
import type { CallObserver } from "./gateway.ports.ts";
import type { RouteDocuments } from "./route-documents.ts";

/** The outcome of an admitted call: the upstream's status, or why there is none and whether the call is billed all the same. */
export type AdmittedOutcome =
  | { kind: "status"; status: number }
  | { kind: "failed"; code: Exclude<MeteredCall["outcome"], "VALID">; isBilled: boolean };

/**
 * Routes that a process tells apart in a day: an API has some hundred, and a tenant sees a part of them; those of all tenants
 * take at most some ten megabytes.
 */
const ROUTES_MET = { perTenantMax: 500, reservedPerTenant: 50, sharedMax: 100_000 };

/** Models that a process tells apart in a day: an API has some ten. */
const MODELS_MET = { perTenantMax: 50, reservedPerTenant: 10, sharedMax: 50_000 };

/** What was called. */
export type CallTarget = {
  meterId: string;
  /** Undefined, like the target, when only a key is verified. */
  method: CallMethod | undefined;
  /** The request target as the client sent it; its template is the route. */
  rawTarget: string | undefined;
  /** Left out where no one will ask for the call itself. */
  requestId?: string | undefined;
  /** Name of the upstream that serves it; undefined where only the asking program knows. */
  upstream?: string | undefined;
  /** The model that it names, where the upstream answers with tokens. */
  model?: string | undefined;
};

/** The target of a verification: only the asking program knows which call it is for. */
export const VERIFICATION: CallTarget = {
  meterId: REQUESTS_METER,
  method: undefined,
  rawTarget: undefined,
};

/** The outcome of a call that was allowed and not forwarded. */
const ALLOWED_STATUS = 200;

/** A call as it is recorded, without its outcome. */
type CallFacts = Omit<MeteredCall, "outcome" | "status" | "quantity" | "leaseId">;

/** Describes a call for a record that is made later. */
export type DescribeCall = (subject: Subject, target: CallTarget) => CallFacts;

export type CallRecorder = {
  /** True when no further call may be admitted, because it could not be recorded. */
  readonly isSaturated: boolean;
  /** Records an admitted call, once, when its outcome is known. Units that are not billed return to the limit. */
  recordAdmitted(admission: Admission, target: CallTarget, outcome: AdmittedOutcome): MeteredCall;
  /** Records an admitted call that was not sent after all, and is over. */
  recordUnsent(
    admission: Admission,
    target: CallTarget,
    code: Exclude<MeteredCall["outcome"], "VALID">,
  ): void;
  /** Records a call that was allowed and not forwarded: only the asking program learns its outcome. */
  recordAllowed(admission: Admission, target: CallTarget): void;
  /** Records the measurements of a call that {@link recordAdmitted} recorded, once, when it is over. */
  recordMeasure(call: MeteredCall, measure: CallMeasure): void;
  /**
   * Records units of a meter that are known only after the answer, once. What was held beyond them goes back; what was used beyond the
   * hold is recorded as well, also where no limit has room for it.
   */
  recordUnits(
    admission: Admission,
    target: CallTarget,
    used: { quantity: number; status: number },
  ): void;
  /** Undoes the admission of a call that was never sent and is not recorded. */
  abandon(admission: Admission): void;
  /** Records a refused call of a known key. Calls with unknown keys are in no one's ledger. */
  recordDenied(denial: Denial, target: CallTarget): void;
};

function statusOf(outcome: AdmittedOutcome): number {
  if (outcome.kind === "status") {
    return outcome.status;
  }
  return outcome.code === "CLIENT_ABORTED"
    ? CLIENT_ABORTED_STATUS
    : ERROR_CODES[outcome.code].status;
}

/** @throws {AppError} `OVERLOADED`: a call that cannot be recorded must not be let through. */
export function assertRecordable(callRecorder: Pick<CallRecorder, "isSaturated">): void {
  if (callRecorder.isSaturated) {
    throw new AppError({
      code: "OVERLOADED",
      publicMessage: "Usage cannot be recorded at the moment.",
      headers: { "retry-after": "5" },
    });
  }
}

/**
 * Resolves when everything recorded so far is as durable as the settings want, in the journal (`durability: strict`) or in the
 * ledger (`cluster`), and rejects when it cannot be: then the call must not pass. Undefined unless an answer waits for it, so that
 * otherwise none waits for a promise.
 */
export type WhenDurable = (() => Promise<void>) | undefined;

export function createCallRecorder(deps: {
  recorder: UsageRecorder;
  leases: LeaseHolder;
  clock: Clock;
  /** Shown each call when it is over, in this order. */
  observers?: readonly CallObserver[];
  /** Documented routes of upstreams. Left out: all routes are learned. */
  documents?: Pick<RouteDocuments, "findRoute">;
  /** What is kept of a path that no document describes; left out: a learned template. */
  paths?: PathMode;
  /** Models that the configuration names; left out: none. */
  models?: ReadonlySet<string>;
}): CallRecorder & { describe: DescribeCall } {
  const routes = createRouteRegistry(ROUTES_MET);
  const models = createModelRegistry({ ...MODELS_MET, declared: deps.models ?? new Set() });
  const { observers = [] } = deps;

  function toCall(
    subject: Subject,
    { meterId, requestId, method, rawTarget, upstream, model }: CallTarget,
    isServed = false,
  ): CallFacts {
    const { tenantId } = subject.tenant;
    const occurredAtMs = deps.clock.now().getTime();
    // A documented route does not count as a learned one: the document bounds their number.
    const routeOf = (target: string) =>
      deps.documents?.findRoute(upstream, target) ??
      (deps.paths === "documented" ? OTHER_ROUTE : routes.routeOf(tenantId, target, occurredAtMs));
    return {
      tenantId,
      keyId: subject.key.keyId,
      requestId,
      originKeyId: subject.key.originKeyId,
      environment: subject.key.environment,
      meterId,
      method,
      route: rawTarget === undefined ? undefined : routeOf(rawTarget),
      model:
        model === undefined || model === ""
          ? undefined
          : models.modelOf(tenantId, { name: model, isServed, nowMs: occurredAtMs }),
      occurredAtMs,
      periodStartMs: subject.periodStartMs,
      periodEndMs: subject.periodEndMs,
    };
  }

  function endHold(hold: LeaseHold | undefined, isBilled: boolean): void {
    if (hold === undefined) {
      return;
    }
    if (isBilled) {
      deps.leases.settle(hold);
    } else {
      deps.leases.giveBack(hold);
    }
  }

  function recordAdmitted(
    admission: Admission,
    target: CallTarget,
    outcome: AdmittedOutcome,
  ): MeteredCall {
    const isBilled =
      outcome.kind === "status" ? isBillableStatus(outcome.status) : outcome.isBilled;
    const { hold, keyHold } = admission;
    const isServed = outcome.kind === "status" && outcome.status >= 200 && outcome.status < 300;
    const call: MeteredCall = {
      ...toCall(admission, target, isServed),
      outcome: outcome.kind === "status" ? "VALID" : outcome.code,
      status: statusOf(outcome),
      quantity: isBilled ? admission.cost : 0,
      leaseId: isBilled ? hold?.lease.leaseId : undefined,
      keyLeaseId: isBilled ? keyHold?.lease.leaseId : undefined,
      group: deps.recorder.openGroup,
    };
    deps.recorder.record(call);
    endHold(hold, isBilled);
    endHold(keyHold, isBilled);
    return call;
  }

  function recordUnits(
    admission: Admission,
    target: CallTarget,
    { quantity, status }: { quantity: number; status: number },
  ): void {
    const { hold, keyHold } = admission;
    const settle = (each: LeaseHold | undefined): number =>
      each === undefined ? 0 : deps.leases.settle(each, quantity);
    const leased = { tenant: settle(hold), key: settle(keyHold) };
    if (quantity > 0) {
      deps.recorder.record({
        // Units are of answers that came.
        ...toCall(admission, target, true),
        outcome: "VALID",
        status,
        quantity,
        leased,
        leaseId: hold?.lease.leaseId,
        keyLeaseId: keyHold?.lease.leaseId,
      });
    }
  }

  function show(call: MeteredCall, measure?: CallMeasure): void {
    for (const observer of observers) {
      if (observer.isWatching) {
        observer.see(call, measure);
      }
    }
  }

  return {
    get isSaturated() {
      return deps.recorder.isSaturated;
    },
    describe: (subject, target) => toCall(subject, target),
    abandon: ({ hold, keyHold }) => {
      endHold(hold, false);
      endHold(keyHold, false);
    },
    recordAdmitted,
    recordUnits,
    recordUnsent: (admission, target, code) =>
      show(recordAdmitted(admission, target, { kind: "failed", code, isBilled: false })),
    recordAllowed: (admission, target) =>
      show(recordAdmitted(admission, target, { kind: "status", status: ALLOWED_STATUS })),
    recordMeasure: (call, measure) => {
      deps.recorder.recordMeasure(call, measure);
      show(call, measure);
    },
    recordDenied: (denial, target) => {
      if (denial.subject !== undefined) {
        const call: MeteredCall = {
          ...toCall(denial.subject, target),
          outcome: denial.code,
          status: ERROR_CODES[denial.code].status,
          quantity: 0,
          leaseId: undefined,
          group: deps.recorder.openGroup,
        };
        deps.recorder.record(call);
        show(call);
      }
    },
  };
}
