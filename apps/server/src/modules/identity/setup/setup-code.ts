import { createHash, hkdfSync } from "node:crypto";
import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { VISITORS } from "#platform/transact.ts";
import {
  findOpenSalt,
  isClaimed,
  isSetupCodeOpen,
  lockSetupCodes,
  markSetupCodeClaimed,
  replaceSetupCode,
} from "./setup-codes.store.ts";

const CODE_BYTES = 24;

function hashCode(code: string): Uint8Array {
  return createHash("sha256").update(code).digest();
}

function toCode(secret: string, salt: Uint8Array): string {
  const code = hkdfSync("sha256", secret, salt, "turnpike: setup code", CODE_BYTES);
  return Buffer.from(code).toString("base64url");
}

/** What all nodes on a database have in common. */
export type SharedSetup = {
  /** At least 32 characters. The code can be worked out from it and the database. */
  secret: string;
  /** Whether other nodes run, whose code must stay valid. Asked while no other node can offer one. */
  hasOthers(tx: Tx): Promise<boolean>;
};

/**
 * Offers a setup code until the installation is claimed. The code makes its holder the operator, so it is printed where
 * only the person who started the process reads it. A start replaces the previous code, unless other nodes run: then it is the
 * same as theirs.
 *
 * @returns The code, 192 bits in base64url, or `undefined` once the installation is claimed.
 */
export async function offerSetupCode(
  deps: AppServices,
  { secret, hasOthers }: SharedSetup,
): Promise<string | undefined> {
  const fresh = deps.randomBytes(CODE_BYTES);
  return await deps.transact.asOperator(async (tx) => {
    await lockSetupCodes(tx);
    if (await isClaimed(tx)) {
      return;
    }
    const known = (await hasOthers(tx)) ? await findOpenSalt(tx) : undefined;
    if (known !== undefined) {
      return toCode(secret, known);
    }
    const code = toCode(secret, fresh);
    await replaceSetupCode(tx, { hash: hashCode(code), salt: fresh, now: deps.clock.now() });
    return code;
  });
}

/** True if the code can be claimed now. Changes nothing. */
export async function checkSetupCode(
  deps: Pick<AppServices, "transact">,
  input: { code: string },
): Promise<boolean> {
  return await deps.transact.asOperator(
    (tx) => isSetupCodeOpen(tx, hashCode(input.code)),
    VISITORS,
  );
}

/**
 * Takes a setup code, once, in the caller's transaction.
 *
 * @throws {AppError} `SETUP_CODE_INVALID` for a code that is unknown or already claimed; the answer does not say which.
 */
export async function claimSetupCode(
  deps: AppServices,
  tx: Tx,
  input: { code: string; by: string },
): Promise<void> {
  await lockSetupCodes(tx);
  const claimed = await markSetupCodeClaimed(tx, {
    hash: hashCode(input.code),
    by: input.by,
    now: deps.clock.now(),
  });
  if (!claimed) {
    throw new AppError({
      code: "SETUP_CODE_INVALID",
      publicMessage:
        "This setup code is not valid. It works once; each start of an unclaimed installation prints a new one.",
    });
  }
}
