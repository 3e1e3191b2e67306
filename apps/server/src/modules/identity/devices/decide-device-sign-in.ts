import type { DeviceSignIn } from "@turnpike/contract/device-sign-ins";
import type { Tx } from "@turnpike/db/client";
import { type CallContext, getPerson, type UserActor } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { SIGN_INS } from "#platform/transact.ts";
import type { AttemptLimits } from "../attempts/attempt-limits.ts";
import { type DeviceSignInRow, lockByUserCode, saveDecision } from "./device-sign-ins.store.ts";
import { hashCredential } from "./hash-credential.ts";
import { parseUserCode } from "./user-code.ts";

export type DecideDeps = AppServices & { attempts: AttemptLimits };
type Typed = { userCode: string; network: string };

/** A command line must not let in others: who steals its credential would stay for good. */
function getPersonInBrowser({ actor }: CallContext): UserActor {
  const person = getPerson(actor);
  if (person.isByDevice === true) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "A command line cannot sign in another one: open the console.",
    });
  }
  return person;
}

function codeNotFound(): AppError {
  return new AppError({
    code: "RESOURCE_NOT_FOUND",
    publicMessage:
      "No sign-in waits with this code. Compare it with the one that is shown, or start over.",
  });
}

/** Takes an attempt for each code that is typed, and gives it back when there is one. */
async function withCode<Result>(
  deps: DecideDeps,
  context: CallContext,
  input: Typed & {
    work(tx: Tx, found: { row: DeviceSignInRow; hash: Buffer; person: UserActor }): Promise<Result>;
  },
): Promise<Result> {
  const person = getPersonInBrowser(context);
  const attempt = { email: person.id, network: input.network };
  await deps.attempts.take("user-code", attempt);
  const code = parseUserCode(input.userCode);
  if (code === undefined) {
    throw codeNotFound();
  }
  const hash = hashCredential("user-code", code);
  const result = await deps.transact.asOperator(async (tx) => {
    const row = await lockByUserCode(tx, hash);
    const isAnothers = row?.user_id !== null && row?.user_id !== person.id;
    if (
      row === undefined ||
      row.state !== "waiting" ||
      row.expires_at <= deps.clock.now() ||
      isAnothers
    ) {
      throw codeNotFound();
    }
    return await input.work(tx, { row, hash, person });
  }, SIGN_INS);
  deps.attempts.giveBack("user-code", attempt);
  return result;
}

/**
 * Shows which command line a code is of. From then on the code is this person's: no one else can allow it, who may have been sent
 * the same code.
 *
 * @throws {AppError} `RESOURCE_NOT_FOUND`, also for a code that another person looked at; `TOO_MANY_ATTEMPTS`;
 *   `INSUFFICIENT_SCOPE` for programs; `CONFLICT` for command lines.
 */
export async function viewDeviceSignIn(
  deps: DecideDeps,
  context: CallContext,
  typed: Typed,
): Promise<DeviceSignIn> {
  return await withCode(deps, context, {
    ...typed,
    work: async (tx, { row, hash, person }) => {
      await saveDecision(tx, hash, { state: "waiting", user_id: person.id });
      return {
        name: row.name,
        address: row.address,
        createdAt: row.created_at.toISOString(),
        expiresAt: row.expires_at.toISOString(),
      };
    },
  });
}

/** Allows or denies a command line, once. @throws {AppError} As {@link viewDeviceSignIn}. */
export async function decideDeviceSignIn(
  deps: DecideDeps,
  context: CallContext,
  { decision, ...typed }: Typed & { decision: "allow" | "deny" },
): Promise<{ name: string }> {
  return await withCode(deps, context, {
    ...typed,
    work: async (tx, { row, hash, person }) => {
      const state = decision === "allow" ? "allowed" : "denied";
      await saveDecision(tx, hash, { state, user_id: person.id });
      await writeAudit(deps, tx, context, {
        tenantId: null,
        action: `device_sign_in.${state}`,
        entityType: "user",
        entityId: person.id,
        details: { name: row.name },
      });
      return { name: row.name };
    },
  });
}
