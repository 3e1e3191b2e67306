import { t } from "@lingui/core/macro";

/** What a person can do after a failed sign-in. */
export type WayOn =
  | "retry"
  | "retry_later"
  | "use_redirect"
  | "use_other_provider"
  | "reset_password"
  | "choose_other_password"
  | "correct_email"
  | "confirm_email"
  | "ask_for_new_link"
  | "sign_in_again"
  | "give_second_factor"
  | "check_connection"
  | "set_clock"
  | "allow_storage"
  | "open_right_address"
  | "contact_operator"
  | "none";

/** What a person reads about a failed sign-in. */
export type SignInProblem = {
  cause: SignInCause;
  /** A few words without a full stop. */
  title: string;
  /** The reason and what helps, in one to three sentences. */
  sentence: string;
  wayOn: WayOn;
};

type Entry = readonly [title: string, sentence: string, wayOn: WayOn];

/** Every cause that has words of its own, for all providers. An unknown account has the words of a wrong password. */
const PROBLEMS = {
  popup_blocked: [
    t`Your browser blocked the window`,
    t`The sign-in window could not open. Allow pop-up windows for this page, or continue without a window.`,
    "use_redirect",
  ],
  popup_closed: [
    t`The window was closed`,
    t`The sign-in window was closed before you were signed in. Try again.`,
    "retry",
  ],
  popup_replaced: [
    t`Another window was opened`,
    t`You started signing in again, so the first attempt was ended. Finish in the newest window.`,
    "none",
  ],
  unauthorised_address: [
    t`This address is not registered with the provider`,
    t`The provider does not accept sign-ins from this address. The operator of this service has to register it there.`,
    "contact_operator",
  ],
  network_failed: [
    t`No connection`,
    t`The sign-in service cannot be reached. Check your connection, then try again.`,
    "check_connection",
  ],
  wrong_credentials: [
    t`You are not signed in`,
    t`The e-mail address or the password is wrong.`,
    "reset_password",
  ],
  too_many_attempts: [
    t`Too many attempts`,
    t`There were too many attempts in a short time. Wait a few minutes, then try again.`,
    "retry_later",
  ],
  email_in_use: [
    t`This address has an account`,
    t`An account with this e-mail address exists. Sign in with it, or reset its password.`,
    "sign_in_again",
  ],
  sso_failed: [
    t`Your organization's sign-in failed`,
    t`The answer of your organization's identity provider was not accepted. Try again. If it happens again, ask your administrator: the reason is shown to the owners of your tenant.`,
    "retry",
  ],
  sso_address: [
    t`Your address is not accepted`,
    t`Your organization's identity provider sent an e-mail address that may not sign in this way. Ask your administrator: the reason is shown to the owners of your tenant.`,
    "use_other_provider",
  ],
  sso_operator: [
    t`Operators sign in here`,
    t`You operate this service, so your organization's identity provider cannot sign you in. Use your password or your passkey.`,
    "use_other_provider",
  ],
  sso_protected: [
    t`Your account has a second factor`,
    t`It also opens other tenants, so your organization's identity provider cannot sign you in past your own second factor. Sign in with your password, remove the second factor in your account, and try again; or ask the operator to reset it.`,
    "use_other_provider",
  ],
  sso_unavailable: [
    t`No single sign-on`,
    t`Single sign-on is not available for this address. Check how it is written, or sign in another way.`,
    "use_other_provider",
  ],
  sso_required: [
    t`Single sign-on is required`,
    t`Your organization requires single sign-on. Continue at its identity provider.`,
    "use_other_provider",
  ],
  weak_password: [
    t`This password is too weak`,
    t`The password is too easy to guess. Choose a longer one that you use nowhere else.`,
    "choose_other_password",
  ],
  invalid_email: [
    t`This is no e-mail address`,
    t`The e-mail address is not valid. Check how it is written.`,
    "correct_email",
  ],
  account_disabled: [
    t`This account is disabled`,
    t`The account was disabled, so it cannot sign in. The operator of this service can enable it again.`,
    "contact_operator",
  ],
  clock_wrong: [
    t`This computer’s clock is wrong`,
    t`The provider’s answer is of another time than this computer’s clock shows. Set the date and the time, then try again.`,
    "set_clock",
  ],
  other_credential: [
    t`This address signs in another way`,
    t`An account with this e-mail address exists, and it signs in another way. Choose the way that you used before.`,
    "use_other_provider",
  ],
  credential_in_use: [
    t`This sign-in belongs to another account`,
    t`What you signed in with is connected to another account already. Sign in to that account, or choose another way.`,
    "use_other_provider",
  ],
  already_connected: [
    t`This is connected already`,
    t`Your account has this way to sign in, or the most that it can have. Nothing was changed.`,
    "none",
  ],
  provider_misconfigured: [
    t`This way to sign in is not set up correctly`,
    t`The provider and this service do not agree on their settings. Tell the operator of this service, or choose another way.`,
    "contact_operator",
  ],
  not_offered: [
    t`This way to sign in is not offered`,
    t`This way to sign in is switched off. Choose another one.`,
    "use_other_provider",
  ],
  access_denied: [
    t`You are not signed in`,
    t`You cancelled signing in, or the provider denied access.`,
    "retry",
  ],
  consent_needed: [
    t`The provider needs your consent`,
    t`The provider needs your consent to share who you are. Try again and agree there.`,
    "retry",
  ],
  sign_in_needed: [t`Sign in again`, t`The provider wants you to sign in again.`, "sign_in_again"],
  account_choice_needed: [
    t`Choose an account`,
    t`Choose an account at the provider, then try again.`,
    "retry",
  ],
  interaction_needed: [
    t`The provider needs something from you`,
    t`The provider needs something from you first. Try again and answer there.`,
    "retry",
  ],
  provider_failed: [
    t`The provider failed`,
    t`The provider failed. Try again in a moment.`,
    "retry",
  ],
  provider_busy: [
    t`The provider is busy`,
    t`The provider is overloaded. Try again in a moment.`,
    "retry_later",
  ],
  storage_blocked: [
    t`Your browser stores nothing for this page`,
    t`Signing in needs cookies and storage for this site. Allow them in your browser, or leave private browsing.`,
    "allow_storage",
  ],
  link_unusable: [
    t`This link does not work any more`,
    t`The link has expired or was already used. Ask for a new one.`,
    "ask_for_new_link",
  ],
  email_unverified: [
    t`Your address is not confirmed yet`,
    t`Confirm your e-mail address first: follow the link in our latest mail.`,
    "confirm_email",
  ],
  second_factor_needed: [
    t`One more step`,
    t`This account has a second factor. Give its code or use its passkey to sign in.`,
    "give_second_factor",
  ],
  second_factor_wrong: [
    t`This code is wrong`,
    t`The code is wrong or too old. Type the newest one.`,
    "give_second_factor",
  ],
  recent_sign_in_needed: [
    t`Sign in once more`,
    t`This change needs a sign-in of the last few minutes. Sign in again, then repeat it.`,
    "sign_in_again",
  ],
  session_ended: [
    t`You are signed out`,
    t`Your session has ended. Sign in again.`,
    "sign_in_again",
  ],
  other_person: [
    t`This is another account`,
    t`You signed in with another account than before. Choose the same one again, or sign out first.`,
    "sign_in_again",
  ],
  sign_in_expired: [
    t`This sign-in has expired`,
    t`This sign-in took too long or was already used. Start over.`,
    "retry",
  ],
  request_refused: [
    t`The sign-in was not accepted`,
    t`The provider did not accept the request. Try again; if it happens again, tell the operator of this service.`,
    "retry",
  ],
  unknown_attempt: [
    t`This sign-in was not started here`,
    t`This answer does not belong to a sign-in that was started in this tab. Start over.`,
    "retry",
  ],
  untrusted_answer: [
    t`The answer could not be trusted`,
    t`Signing in failed: the provider’s answer could not be trusted. Try again.`,
    "retry",
  ],
  insecure_page: [
    t`This page is not secure`,
    t`Signing in needs HTTPS (or localhost). Ask the operator of this service.`,
    "contact_operator",
  ],
  other_address: [
    t`This is another address`,
    t`You can sign in only at the public address of this service. Open it there.`,
    "open_right_address",
  ],
  not_supported: [
    t`Your browser cannot do this`,
    t`This browser cannot sign in this way. Continue without a window, or use another browser.`,
    "use_redirect",
  ],
  sign_out_unconfirmed: [
    t`You are still signed in`,
    t`You are still signed in: sign out from the user menu.`,
    "none",
  ],
  internal: [
    t`Something went wrong`,
    t`Something went wrong while signing you in. Try again; if it happens again, tell the operator of this service.`,
    "retry",
  ],
} as const satisfies Record<string, Entry>;

/** Why signing in failed, in one vocabulary for all providers. */
export type SignInCause = keyof typeof PROBLEMS;

/** All of them. */
export const SIGN_IN_CAUSES: readonly SignInCause[] = Object.keys(PROBLEMS).filter(isSignInCause);

/** Tells a cause from other words, among them the names of what every object has. */
export function isSignInCause(word: string): word is SignInCause {
  return Object.hasOwn(PROBLEMS, word);
}

/** @param sentence - In place of the general one, from someone who knows more. */
export function getSignInProblem(cause: SignInCause, sentence?: string): SignInProblem {
  const [title, general, wayOn] = PROBLEMS[cause];
  return { cause, title, sentence: sentence ?? general, wayOn };
}
