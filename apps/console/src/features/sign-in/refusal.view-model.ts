import { toSignInMessage } from "#platform/session/provider-failure.ts";
import { SignInError } from "#platform/session/session.ts";

/** What the built-in provider says in an address where it has nobody else to tell. */
const OWN_SENTENCES: ReadonlyMap<string, string> = new Map([
  ["sign_in_expired", "This sign-in took too long. Start again below."],
  ["request_invalid", "This sign-in link was incomplete. Start again below."],
  [
    "sign_out_unconfirmed",
    "You are still signed in: the request to sign you out could not be verified.",
  ],
]);

/**
 * Says why a provider sent somebody back without letting them in. Whoever made the address chose the code, so nothing of it
 * is shown but one of our own sentences.
 */
export function toRefusalMessage(code: string): string {
  return (
    OWN_SENTENCES.get(code) ??
    toSignInMessage(
      new SignInError(code, "The provider did not sign you in. Try again, or choose another way."),
    )
  );
}
