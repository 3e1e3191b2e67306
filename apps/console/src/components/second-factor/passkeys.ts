import { t } from "@lingui/core/macro";
import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { RequestError } from "#platform/error-message.ts";

/** True if this browser can have passkeys for this page: none is for a bare address. */
export function canUsePasskeys(hostname: string): boolean {
  return browserSupportsWebAuthn() && !/^[\d.]+$|:/.test(hostname);
}

/** The browser says the same for a person who declined and for a device without a passkey. */
function toReadable(cause: unknown): unknown {
  const name = cause instanceof Error ? cause.name : "";
  if (name === "InvalidStateError") {
    return new RequestError(t`This device has a passkey for your account already.`, cause);
  }
  return name === "NotAllowedError" || name === "AbortError"
    ? new RequestError(t`The browser used no passkey. Try again, or use another way.`, cause)
    : cause;
}

/** Has the browser make a passkey. @param options - From the server. @throws {RequestError} When it makes none. */
export async function makePasskey(
  options: PublicKeyCredentialCreationOptionsJSON,
): Promise<object> {
  try {
    return await startRegistration({ optionsJSON: options });
  } catch (cause) {
    throw toReadable(cause);
  }
}

/** Has the browser answer with a passkey. @param options - From the server. @throws {RequestError} When it has none. */
export async function answerWithPasskey(
  options: PublicKeyCredentialRequestOptionsJSON,
): Promise<object> {
  try {
    return await startAuthentication({ optionsJSON: options });
  } catch (cause) {
    throw toReadable(cause);
  }
}
