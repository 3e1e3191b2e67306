import type { Turnpike } from "./create-turnpike.ts";
import type { Verification, VerifyRequest } from "./verification.ts";

/** What the guards of one client have asked about a call so far; all of them let it pass. */
export type GuardedCall = {
  /** No longer in the request: the first guard takes it out. */
  key: string;
  /** In the order in which they were asked; each with what it took. */
  passed: VerifyRequest[];
  /** The newest. */
  verdict: Verification;
};

/** What the server meters by default. */
const METER_DEFAULT = "requests";
const COST_DEFAULT = 1;
/** Refusals by a limit. The server applies limits last: whose call they refuse has passed every other check. */
const LIMIT_CODES: ReadonlySet<string> = new Set(["RATE_LIMITED", "QUOTA_EXCEEDED"]);

// Beside the requests, not in them: a handler that logs its request must not log the key.
const callsOfClients = new WeakMap<Turnpike, WeakMap<object, GuardedCall>>();

/** @returns Undefined for a request that no guard of this client has let pass. */
export function findGuardedCall(turnpike: Turnpike, request: object): GuardedCall | undefined {
  return callsOfClients.get(turnpike)?.get(request);
}

export function keepGuardedCall(turnpike: Turnpike, request: object, call: GuardedCall): void {
  const calls = callsOfClients.get(turnpike) ?? new WeakMap<object, GuardedCall>();
  callsOfClients.set(turnpike, calls.set(request, call));
}

/** For a request that goes on as a copy. */
export function copyGuardedCall(
  turnpike: Turnpike,
  { from, to }: { from: object; to: object },
): void {
  const call = findGuardedCall(turnpike, from);
  if (call !== undefined) {
    keepGuardedCall(turnpike, to, call);
  }
}

/**
 * Says what is left to ask when earlier guards have asked already. Of each meter, the call costs as much as the guard says
 * that asks most of it; a guard that names neither cost nor meter takes nothing of a call that is metered.
 *
 * Example: after one unit of `requests` was taken, `cost: 5` asks for 4, no cost for 0, and `meter: "tiles"` for 1 of those.
 */
export function toFurtherRequest(
  asked: VerifyRequest,
  { passed }: Pick<GuardedCall, "passed">,
): VerifyRequest {
  const { cost = COST_DEFAULT, meter = METER_DEFAULT } = asked;
  // Not every guard needs the address of the caller.
  const address = asked.address ?? passed.at(-1)?.address;
  const request = address === undefined ? asked : { ...asked, address };
  const taking = passed.filter((earlier) => earlier.cost !== 0);
  if (asked.cost === undefined && asked.meter === undefined && taking.length > 0) {
    return { ...request, cost: 0 };
  }
  const taken = taking
    .filter((earlier) => (earlier.meter ?? METER_DEFAULT) === meter)
    .reduce((units, earlier) => units + (earlier.cost ?? COST_DEFAULT), 0);
  return taken === 0 ? request : { ...request, cost: Math.max(0, cost - taken) };
}

/** True when nothing is left to take, and the key has passed the same check. */
export function isAnswered(
  { cost, scopes, environment, address }: VerifyRequest,
  { passed }: Pick<GuardedCall, "passed">,
): boolean {
  return (
    cost === 0 &&
    passed.some(
      (earlier) =>
        earlier.address === address &&
        (scopes === undefined || earlier.scopes === scopes) &&
        (environment === undefined || earlier.environment === environment),
    )
  );
}

/**
 * True for a limit that refuses a guard which takes nothing, behind one that took something: it may have been the last unit, and
 * it is this call's own. What is left of a meter that the guard names, and that no guard took from, may still refuse the call.
 */
export function isOwnTaking(
  { cost, meter }: VerifyRequest,
  code: string,
  { passed }: Pick<GuardedCall, "passed">,
): boolean {
  const isOfMeter = (earlier: VerifyRequest) =>
    code === "RATE_LIMITED" || meter === undefined || (earlier.meter ?? METER_DEFAULT) === meter;
  return (
    cost === 0 &&
    LIMIT_CODES.has(code) &&
    passed.some((earlier) => earlier.cost !== 0 && isOfMeter(earlier))
  );
}
