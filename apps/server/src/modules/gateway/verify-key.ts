import type { VerifyKeyRequest, VerifyKeyResponse } from "@turnpike/contract/keys";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import type { Subject } from "./call-to-decide.ts";
import type { DecideCall } from "./decide-call.ts";
import type { LimitView } from "./limit-view.ts";
import { assertRecordable, type CallRecorder, VERIFICATION } from "./record-call.ts";

function toLimitReply(limit: LimitView) {
  return {
    name: limit.name,
    kind: limit.kind,
    scope: limit.scope,
    limit: limit.limit,
    remaining: limit.remaining,
    resetAt: new Date(limit.resetAtMs).toISOString(),
  };
}

function toSubjectReply({ key, tenant }: Subject) {
  return {
    keyId: key.keyId,
    tenantId: tenant.tenantId,
    planId: tenant.planId,
    environment: key.environment,
    scopes: [...key.scopes],
    metadata: { ...key.metadata },
  };
}

/**
 * Verifies a key for a program of the operator: authenticates, applies limits and meters, in one step. A denied call takes
 * nothing from any limit; a cost of 0 takes nothing at all and is not metered.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE` (the caller's), `LIMITS_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `OVERLOADED`.
 */
export async function verifyKey(
  deps: { decideCall: DecideCall; callRecorder: CallRecorder },
  context: CallContext,
  input: VerifyKeyRequest,
): Promise<VerifyKeyResponse> {
  assertMay(context.actor, "keys:verify");
  assertRecordable(deps.callRecorder);
  const { meterId } = VERIFICATION;
  const pending = deps.decideCall({
    keyText: input.key,
    meterId,
    cost: input.cost,
    findAddress: () => input.address,
  });
  const decision = pending instanceof Promise ? await pending : pending;
  const { requestId } = context;
  if (decision.allowed) {
    if (input.cost > 0) {
      deps.callRecorder.recordAdmitted(decision, VERIFICATION, { kind: "status", status: 200 });
    }
    return {
      valid: true,
      code: "VALID",
      requestId,
      ...toSubjectReply(decision),
      limits: decision.limits.map(toLimitReply),
    };
  }
  if (input.cost > 0) {
    deps.callRecorder.recordDenied(decision, VERIFICATION);
  }
  return {
    valid: false,
    code: decision.code,
    detail: decision.detail,
    requestId,
    ...(decision.subject === undefined ? {} : toSubjectReply(decision.subject)),
    ...(decision.limits.length === 0 ? {} : { limits: decision.limits.map(toLimitReply) }),
  };
}
