import type { VerifyKeyRequest } from "@turnpike/contract/keys";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { AppError } from "@turnpike/domain/errors/app-error";
import { hashKey } from "#modules/keys/index.ts";
import type { CallToDecide } from "../decide/call-to-decide.ts";
import type { DecideCall, Decision } from "../decide/decide-call.ts";
import type { Denial } from "../decide/denial.ts";
import type { RecheckRights } from "../decide/recheck-rights.ts";
import { paymentUrlOf } from "../denial-error.ts";
import {
  assertRecordable,
  type CallRecorder,
  type CallTarget,
  type WhenDurable,
} from "../record-call.ts";
import { type LockUnitsDeps, lockUnits } from "./lock-units.ts";
import { type MakeOfferDeps, makeOffer } from "./make-offer.ts";
import type { ReadScopeQuery } from "./read-scope-query.ts";
import { admissionText, denialText, lockedText } from "./verdict-text.ts";

export type VerifyKeyDeps = MakeOfferDeps & {
  decideCall: DecideCall;
  callRecorder: CallRecorder;
  whenDurable?: WhenDurable;
  recheckRights: RecheckRights;
  readScopeQuery: ReadScopeQuery;
  locks: LockUnitsDeps["locks"];
  /** What to say instead of a key that is not known here. Left out: nothing else. */
  findElsewhere?: ((keyText: string) => Promise<AppError | undefined>) | undefined;
};

/**
 * @throws {AppError} `INVALID_REQUEST`: usage of a meter that does not exist would be lost, and what events report must not
 *   be counted by calls as well. What is left of a meter of events can be asked for with a cost of 0.
 */
async function assertMeterCounts(
  deps: VerifyKeyDeps,
  { meter, cost, lock }: VerifyKeyRequest,
): Promise<void> {
  const { meters, eventMeterIds } = await deps.catalog.get();
  const isKnown = meters.some(({ meterId }) => meterId === meter);
  if (!isKnown || (eventMeterIds.has(meter) && (cost > 0 || lock !== undefined))) {
    const message = isKnown
      ? `The meter ${meter} counts events: verify with a cost of 0.`
      : `There is no meter ${meter}.`;
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: message,
      errors: [{ pointer: "/meter", message }],
    });
  }
}

type AskedCall = { input: VerifyKeyRequest; call: CallToDecide };

function targetOf({ meter, resource }: VerifyKeyRequest, requestId: string): CallTarget {
  return { requestId, meterId: meter, method: undefined, rawTarget: resource };
}

async function toDenialReply(
  deps: VerifyKeyDeps,
  denial: Denial,
  asked: { call: CallToDecide; requestId: string },
): Promise<string> {
  if (denial.code === "INVALID_KEY" && denial.subject === undefined) {
    const elsewhere = await deps.findElsewhere?.(asked.call.keyText);
    if (elsewhere !== undefined) {
      throw elsewhere;
    }
  }
  const offer = await makeOffer(deps, denial, asked.call);
  const paymentUrl = paymentUrlOf(denial.code, deps.plansUrl);
  return denialText(denial, { requestId: asked.requestId, offer, paymentUrl });
}

function toReply(
  deps: VerifyKeyDeps,
  { input, call }: AskedCall,
  answer: { decision: Decision; requestId: string },
): string | Promise<string> {
  const { decision, requestId } = answer;
  if (!decision.allowed) {
    if (input.cost > 0) {
      deps.callRecorder.recordDenied(decision, targetOf(input, requestId));
    }
    return toDenialReply(deps, decision, { call, requestId });
  }
  if (input.cost > 0) {
    deps.callRecorder.recordAllowed(decision, targetOf(input, requestId));
    if (deps.whenDurable !== undefined) {
      return deps.whenDurable().then(() => admissionText(decision, requestId));
    }
  }
  return admissionText(decision, requestId);
}

function verifyNow(
  deps: VerifyKeyDeps,
  requestId: string,
  asked: AskedCall,
): string | Promise<string> {
  const decision = deps.decideCall(asked.call);
  return decision instanceof Promise
    ? decision.then((known) => toReply(deps, asked, { decision: known, requestId }))
    : toReply(deps, asked, { decision, requestId });
}

/** The same with the cost reserved in the database: the admission is recorded when its lock is settled. */
async function verifyWithLock(
  deps: VerifyKeyDeps,
  { actor, requestId }: CallContext,
  { input, call, ttlSeconds }: AskedCall & { ttlSeconds: number },
): Promise<string> {
  const target = targetOf(input, requestId);
  const decision = await lockUnits(deps, { actor }, { call, target, ttlSeconds });
  if (decision.allowed) {
    return lockedText(decision, requestId);
  }
  deps.callRecorder.recordDenied(decision, target);
  return await toDenialReply(deps, decision, { call, requestId });
}

function toCall(deps: VerifyKeyDeps, input: VerifyKeyRequest): CallToDecide {
  return {
    keyText: input.key,
    meterId: input.meter,
    cost: input.cost,
    findAddress: () => input.address,
    scopeQuery: input.scopes === undefined ? undefined : deps.readScopeQuery(input.scopes),
    environment: input.environment,
    tellsLimits: true,
  };
}

/**
 * Decides the rights of an earlier verification again, without its limits: what it took stays taken, and nothing is recorded.
 *
 * @returns JSON of a `VerifyKeyResponse` that refuses the call; `undefined` when the key may still make it.
 * @throws {AppError} `DATABASE_UNAVAILABLE`, `OVERLOADED`.
 */
export async function findRightsEnded(
  deps: VerifyKeyDeps,
  { requestId }: CallContext,
  input: VerifyKeyRequest,
): Promise<string | undefined> {
  const call = toCall(deps, input);
  const { refusal } = await deps.recheckRights({ ...call, keyHash: hashKey(input.key) });
  return refusal === undefined
    ? undefined
    : await toDenialReply(deps, refusal, { call, requestId });
}

/**
 * Verifies a key for a program of the operator: authenticates, authorises, applies limits and meters, in one step. A denied
 * call takes nothing from any limit; a cost of 0 takes nothing at all and is not metered.
 *
 * @returns JSON of a `VerifyKeyResponse`; at once when everything is in memory.
 * @throws {AppError} At once or later: `INSUFFICIENT_SCOPE` (the caller's), `INVALID_REQUEST` (no scope query, no such
 *   meter), `LIMITS_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `OVERLOADED`.
 */
export function verifyKey(
  deps: VerifyKeyDeps,
  { actor, requestId }: CallContext,
  input: VerifyKeyRequest,
): string | Promise<string> {
  assertMay(actor, "keys:verify");
  assertRecordable(deps.callRecorder);
  const call = toCall(deps, input);
  const { lock } = input;
  const verify = (): string | Promise<string> =>
    lock === undefined
      ? verifyNow(deps, requestId, { input, call })
      : verifyWithLock(deps, { actor, requestId }, { input, call, ttlSeconds: lock.ttlSeconds });
  return input.meter === REQUESTS_METER ? verify() : assertMeterCounts(deps, input).then(verify);
}
