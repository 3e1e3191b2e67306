import { createHash } from "node:crypto";
import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { AppServices } from "#platform/app-services.ts";
import { VISITORS } from "#platform/transact.ts";
import {
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

/**
 * Offers a setup code until the installation is claimed. The code makes its holder the operator, so it is printed where
 * only the person who started the process reads it. A new start replaces the previous code.
 *
 * @returns The code, 192 random bits in base64url, or `undefined` once the installation is claimed.
 */
export async function offerSetupCode(deps: AppServices): Promise<string | undefined> {
  const code = Buffer.from(deps.randomBytes(CODE_BYTES)).toString("base64url");
  return await deps.transact.asOperator(async (tx) => {
    await lockSetupCodes(tx);
    if (await isClaimed(tx)) {
      return;
    }
    await replaceSetupCode(tx, hashCode(code), deps.clock.now());
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
