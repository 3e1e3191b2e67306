import {
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  WebAuthnAbortService,
} from "@simplewebauthn/browser";
import type { AskedPasskey } from "#components/second-factor/factor-calls.ts";
import type { OpenSignIn, Session } from "#platform/session/session.ts";

/** A challenge of the server is good for five minutes. */
const ROUND_MS = 4 * 60_000;
/** A page that no one uses for an hour asks for no further ones. */
const ROUNDS_MAX = 15;

/** Waits until the person picks a passkey. @returns Undefined when a new challenge is due; null when the browser gave up. */
async function waitForPasskey({ options }: AskedPasskey): Promise<object | undefined | null> {
  let isDue = false;
  const timer = setTimeout(() => {
    isDue = true;
    WebAuthnAbortService.cancelCeremony();
  }, ROUND_MS);
  try {
    return await startAuthentication({ optionsJSON: options, useBrowserAutofill: true });
  } catch {
    // Another way was chosen, which ends this one; or the browser has its own reason.
    return isDue ? undefined : null;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Has the browser offer passkeys among its suggestions for the address, and signs in with the one that the person picks. Does
 * nothing where the browser cannot, and nothing that the person sees while the server cannot be asked.
 *
 * @param signal - Ends the offer.
 * @param onProblem - Hears why a picked passkey did not sign the person in; the offer goes on.
 */
export async function offerPasskeys(
  session: Pick<Session, "openSignIn">,
  signal: AbortSignal,
  onProblem: (error: unknown) => void,
): Promise<void> {
  if (!(await browserSupportsWebAuthnAutofill()) || signal.aborted) {
    return;
  }
  signal.addEventListener("abort", () => WebAuthnAbortService.cancelCeremony(), { once: true });
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const asked = await ask(session);
    if (asked === undefined || signal.aborted) {
      return;
    }
    const answer = await waitForPasskey(asked.passkey);
    if (answer === null || signal.aborted) {
      return;
    }
    if (answer !== undefined) {
      try {
        await asked.open.finish("passkey", { answer });
        return;
      } catch (error) {
        onProblem(error);
      }
    }
  }
}

async function ask(
  session: Pick<Session, "openSignIn">,
): Promise<{ open: OpenSignIn; passkey: AskedPasskey } | undefined> {
  try {
    const open = await session.openSignIn();
    return { open, passkey: (await open.ask("passkey/options", {})) as AskedPasskey };
  } catch {
    // The button and the password are still there, and say what is wrong.
    return undefined;
  }
}
