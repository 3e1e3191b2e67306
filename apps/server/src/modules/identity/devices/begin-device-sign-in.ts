import type { AppServices } from "#platform/app-services.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { insertDeviceSignIn } from "./device-sign-ins.store.ts";
import { hashCredential } from "./hash-credential.ts";
import { makeUserCode, showUserCode, USER_CODE_BYTES } from "./user-code.ts";

/** A person reads the code, signs in and types it. */
export const DEVICE_SIGN_IN_SECONDS = 600;
/** How long a program waits between two questions, at first. */
export const POLL_INTERVAL_SECONDS = 5;
const DEVICE_CODE_BYTES = 32;

export type StartedDeviceSignIn = {
  deviceCode: string;
  /** As people read it. */
  userCode: string;
  expiresInSeconds: number;
  intervalSeconds: number;
};

/**
 * Starts the sign-in of a command line: it keeps the device code, and its person types the user code.
 *
 * @param input.name - How the command line names itself, for people.
 * @param input.address - Where it asks from, for people.
 */
export async function beginDeviceSignIn(
  deps: AppServices,
  input: { name: string; address: string },
): Promise<StartedDeviceSignIn> {
  const now = deps.clock.now();
  const deviceCode = Buffer.from(deps.randomBytes(DEVICE_CODE_BYTES)).toString("base64url");
  const userCode = makeUserCode(deps.randomBytes(USER_CODE_BYTES));
  await deps.transact.asOperator(
    (tx) =>
      insertDeviceSignIn(tx, {
        device_hash: hashCredential("device", deviceCode),
        user_code_hash: hashCredential("user-code", userCode),
        ...input,
        state: "waiting",
        user_id: null,
        interval_seconds: POLL_INTERVAL_SECONDS,
        polled_at: null,
        created_at: now,
        expires_at: new Date(now.getTime() + DEVICE_SIGN_IN_SECONDS * 1_000),
      }),
    SIGN_INS,
  );
  return {
    deviceCode,
    userCode: showUserCode(userCode),
    expiresInSeconds: DEVICE_SIGN_IN_SECONDS,
    intervalSeconds: POLL_INTERVAL_SECONDS,
  };
}
