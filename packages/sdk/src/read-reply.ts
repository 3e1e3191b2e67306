import { TurnpikeUnavailableError } from "./errors.ts";
import type { Lock, VerifyReply } from "./verification.ts";

/**
 * Takes an answer for a verdict, when it is one: a proxy in between may answer 200 with a page of its own, and no call may pass
 * on that.
 *
 * @throws {TurnpikeUnavailableError} When it is none, or says two things at once.
 */
export function readVerifyReply(json: unknown): VerifyReply {
  const reply = json as Partial<VerifyReply> | null;
  if (
    typeof reply !== "object" ||
    reply === null ||
    typeof reply.valid !== "boolean" ||
    typeof reply.code !== "string" ||
    reply.valid !== (reply.code === "VALID") ||
    (reply.valid && !namesKey(reply))
  ) {
    throw new TurnpikeUnavailableError("What answered is not Turnpike");
  }
  return reply as VerifyReply;
}

/** A refusal is safe, also when it lacks something; a verdict that lets a call pass must say whose it is. */
function namesKey({ keyId, tenantId, scopes, limits }: Partial<VerifyReply>): boolean {
  return (
    typeof keyId === "string" &&
    typeof tenantId === "string" &&
    Array.isArray(scopes) &&
    Array.isArray(limits)
  );
}

/** The same for a lock. @throws {TurnpikeUnavailableError} When the answer is not a lock. */
export function readLock(json: unknown): Lock {
  const lock = json as Partial<Lock> | null;
  if (
    typeof lock !== "object" ||
    lock === null ||
    typeof lock.lockId !== "string" ||
    typeof lock.state !== "string"
  ) {
    throw new TurnpikeUnavailableError("What answered is not Turnpike");
  }
  return lock as Lock;
}
