import { t } from "@lingui/core/macro";
import { SignInError } from "#platform/session/session.ts";
import { toSignInMessage } from "#platform/session/to-sign-in-problem.ts";

/** Errors that the built-in provider can report only in the address. */
const OWN_SENTENCES: ReadonlyMap<string, string> = new Map([
  ["sign_in_expired", t`This sign-in took too long. Start again below.`],
  ["request_invalid", t`This sign-in link was incomplete. Start again below.`],
  [
    "sign_out_unconfirmed",
    t`You are still signed in: the request to sign you out could not be verified.`,
  ],
]);

/**
 * Says why a provider sent a person back without signing them in. Anyone can make up a code in an address, so only our own
 * sentences are shown.
 */
export function toRefusalMessage(code: string): string {
  return (
    OWN_SENTENCES.get(code) ??
    toSignInMessage(
      new SignInError(code, t`The provider did not sign you in. Try again, or choose another way.`),
    )
  );
}
