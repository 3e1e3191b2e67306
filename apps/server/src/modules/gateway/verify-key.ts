import type { VerifyKeyRequest, VerifyKeyResponse } from "@turnpike/contract/keys";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { effectiveScopes } from "@turnpike/domain/access/custom-scopes";
import { findOffer, type Shortage } from "@turnpike/domain/catalog/find-offer";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { PublicCatalog } from "#modules/catalog/index.ts";
import type { Subject } from "./call-to-decide.ts";
import type { DecideCall, Denial } from "./decide-call.ts";
import type { LimitView } from "./limit-view.ts";
import type { ReadScopeQuery } from "./read-scope-query.ts";
import {
  assertRecordable,
  type CallRecorder,
  type CallTarget,
  VERIFICATION,
} from "./record-call.ts";

export type VerifyKeyDeps = {
  decideCall: DecideCall;
  callRecorder: CallRecorder;
  readScopeQuery: ReadScopeQuery;
  /** Meters and plans that are sold, from memory. */
  catalog: { get(): Promise<PublicCatalog> };
  /** Where plans are shown. */
  plansUrl: string;
};

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
    keyName: key.name,
    tenantId: tenant.tenantId,
    planId: tenant.planId,
    planVersion: tenant.planVersion,
    environment: key.environment,
    scopes: [...effectiveScopes(key.scopes, tenant.terms.scopes)],
    metadata: { ...key.metadata },
    expiresAt:
      key.expiresAtMs === Number.POSITIVE_INFINITY ? null : new Date(key.expiresAtMs).toISOString(),
  };
}

/** @throws {AppError} `INVALID_REQUEST`: usage of a meter that does not exist would be nobody's. */
async function assertMeterExists(deps: VerifyKeyDeps, meterId: string): Promise<void> {
  const { meters } = await deps.catalog.get();
  if (!meters.some((meter) => meter.meterId === meterId)) {
    const message = `There is no meter ${meterId}.`;
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/meter", message }],
    });
  }
}

/** What another plan would have to have more of; undefined when none can help. */
function findShortage({ limit, missingScopes, subject }: Denial): Shortage | undefined {
  if (limit?.scope === "tenant") {
    return limit.kind === "quota"
      ? { ...limit, kind: "quota", meter: limit.name }
      : { ...limit, kind: "rate_limit" };
  }
  const allowed = subject?.tenant.terms.scopes ?? [];
  // A scope that the plan allows already is the tenant's to give to its key.
  return missingScopes.some((scope) => !allowed.includes(scope))
    ? { kind: "scopes", missing: missingScopes }
    : undefined;
}

/** The offer that would let the call pass. An offer is an extra: when the catalogue cannot be read, there is none. */
async function makeOffer(
  deps: VerifyKeyDeps,
  denial: Denial,
): Promise<NonNullable<VerifyKeyResponse["offer"]> | null> {
  const shortage = findShortage(denial);
  if (shortage === undefined || denial.subject === undefined) {
    return null;
  }
  const catalog = await deps.catalog.get().catch(() => undefined);
  const { planId, terms } = denial.subject.tenant;
  const plan = findOffer(catalog?.plans ?? [], { planId, currency: terms.currency }, shortage);
  return plan === undefined ? null : { planId: plan.planId, name: plan.name, url: deps.plansUrl };
}

function targetOf({ meter, resource }: VerifyKeyRequest): CallTarget {
  return meter === REQUESTS_METER && resource === undefined
    ? VERIFICATION
    : { meterId: meter, method: undefined, rawTarget: resource };
}

async function toDenialReply(
  deps: VerifyKeyDeps,
  denial: Denial,
  requestId: string,
): Promise<VerifyKeyResponse> {
  const { code, detail, subject, limits, missingScopes, retryAfterMs } = denial;
  return {
    valid: false,
    code,
    detail,
    requestId,
    ...(subject === undefined ? {} : toSubjectReply(subject)),
    ...(limits.length === 0 ? {} : { limits: limits.map(toLimitReply) }),
    ...(missingScopes.length === 0 ? {} : { missingScopes: [...missingScopes] }),
    ...(retryAfterMs === undefined
      ? {}
      : { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) }),
    offer: await makeOffer(deps, denial),
  };
}

/**
 * Verifies a key for a program of the operator: authenticates, authorises, applies limits and meters, in one step. A denied
 * call takes nothing from any limit; a cost of 0 takes nothing at all and is not metered.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE` (the caller's), `INVALID_REQUEST` (no scope query, no such meter),
 *   `LIMITS_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `OVERLOADED`.
 */
export async function verifyKey(
  deps: VerifyKeyDeps,
  context: CallContext,
  input: VerifyKeyRequest,
): Promise<VerifyKeyResponse> {
  assertMay(context.actor, "keys:verify");
  assertRecordable(deps.callRecorder);
  const scopeQuery = input.scopes === undefined ? undefined : deps.readScopeQuery(input.scopes);
  if (input.meter !== REQUESTS_METER) {
    await assertMeterExists(deps, input.meter);
  }
  const pending = deps.decideCall({
    keyText: input.key,
    meterId: input.meter,
    cost: input.cost,
    findAddress: () => input.address,
    scopeQuery,
    environment: input.environment,
  });
  const decision = pending instanceof Promise ? await pending : pending;
  const { requestId } = context;
  if (!decision.allowed) {
    if (input.cost > 0) {
      deps.callRecorder.recordDenied(decision, targetOf(input));
    }
    return await toDenialReply(deps, decision, requestId);
  }
  if (input.cost > 0) {
    deps.callRecorder.recordAdmitted(decision, targetOf(input), { kind: "status", status: 200 });
  }
  return {
    valid: true,
    code: "VALID",
    requestId,
    ...toSubjectReply(decision),
    limits: decision.limits.map(toLimitReply),
  };
}
