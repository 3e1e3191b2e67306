import type { GetIdToken } from "../send-signed-in.ts";

/** A signed-in person, as the identity provider describes them. */
export type User = {
  /** The provider's name for the person: unique within one provider. */
  subject: string;
  /** Which of the configured providers vouches for them; `firebase` for those of Firebase. */
  providerId: string;
  email: string | undefined;
  emailVerified: boolean;
  name: string | undefined;
  /**
   * The ID token, renewed before it runs out.
   *
   * @throws When it ran out and the provider cannot be reached.
   */
  getIdToken: () => Promise<string>;
};

/** The signed-in person, as far as known. */
export type AuthState = {
  /** True until it is known whether a person is signed in. */
  isLoading: boolean;
  user: User | undefined;
  /** Why the session ended; undefined when there was none. */
  ended: "by_person" | "by_provider" | undefined;
  /** Why it takes so long to know, as a sentence: the provider cannot be reached, and is asked again. */
  trouble: string | undefined;
  /** True when the provider wants to see the person again before it renews anything. The page stays, its requests wait. */
  hasLapsed?: boolean;
  /** The provider at which the person stays signed in after the sign-out here; undefined when there is none. */
  staysSignedInAt?: string | undefined;
};

/** How a person shows who they are to the built-in provider. */
export type Credentials = { email: string; password: string };

/** Whose identity provider a person leaves for: that of their address's domain, or of a tenant. */
export type SsoTarget = { email: string } | { tenant: string };

export type Registration = Credentials & { name?: string };

/** A sign-in that is open at the built-in provider. */
export interface OpenSignIn {
  /** Asks the provider something on the way. @param step - Its address below the sign-in, such as `passkey/options`. */
  ask(step: string, body: object): Promise<unknown>;
  /** Sends the last step; then the person is signed in. */
  finish(step: string, body: object): Promise<void>;
}

/** What the provider takes as a second factor. */
export type FactorKind = "totp" | "passkey" | "recovery";

/** A sign-in whose password was right. @property factors - Those of the person; undefined: one has to be set up first. */
export type SecondStep = OpenSignIn & { factors: readonly FactorKind[] | undefined };

/** The person is signed in, a mail has to be confirmed first, or a second factor is needed. */
export type FormOutcome = "signed_in" | "confirmation_sent" | SecondStep;

/** What only Firebase Authentication offers, beside the form for passwords. */
export interface FirebaseSignIn {
  /**
   * Signs in with Google, in a window or by leaving the page, as configured. Where the browser opens no window, by leaving the page.
   *
   * @param flow - In place of what is configured.
   */
  continueWithGoogle(flow?: "popup" | "redirect"): Promise<void>;
  /** Has Firebase mail a link to choose a new password. */
  sendResetMail(email: string): Promise<void>;
  /** Has Firebase mail the signed-in person a link that confirms their address. */
  sendVerificationMail(): Promise<void>;
  /** Why the sign-in failed that this page came back from; once, then undefined. */
  takeFailure(): unknown;
}

/** A window of its own in which a person visits a provider, while the page stays. */
export interface SignInWindow {
  /** Leads it to the provider. */
  visit(url: URL, state: string): WindowVisit;
  /** A newer one takes its place. */
  replace(): void;
  close(): void;
}

export type WindowVisit = {
  /** The address with the provider's answer. May still come after `left`. */
  answer: Promise<URL>;
  /** Rejects with `popup_closed` when the window seems to be gone, and with `popup_replaced`. */
  left: Promise<never>;
};

/** Signs people in and out: the one place of the console that knows about tokens. */
export interface Session {
  getState(): AuthState;
  /** Calls back after each change of `getState()`, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /** Finds out whether the person is still signed in. Called once, when the page starts. */
  start(): void;
  /** Asks the provider again now, after `trouble`. */
  retry(): void;
  /** Signs in with the built-in provider, without leaving the page. */
  signIn(credentials: Credentials): Promise<FormOutcome>;
  /** Opens a sign-in at the built-in provider that needs no password, as with a passkey. */
  openSignIn(): Promise<OpenSignIn>;
  /** Makes an account with the built-in provider, without leaving the page. */
  register(registration: Registration): Promise<FormOutcome>;
  /** Leaves the page for a provider, which sends the person back to `/login`. */
  startRedirect(providerId: string): Promise<void>;
  /** Leaves the page for the identity provider of the person's organization, which sends them back to `/login`. */
  startSso(target: SsoTarget): Promise<void>;
  /** Ends what `startRedirect` or `startSso` began. @param url - The address that the provider sent the person to. */
  completeRedirect(url: URL): Promise<void>;
  /** Signs in at a provider in a window of its own, without leaving the page. @param opened - By the click that asked for it. */
  signInInWindow(providerId: string, opened: SignInWindow): Promise<void>;
  /**
   * Has the person sign in at a provider in a window, and leaves the session as it is.
   *
   * @param steps.announce - Gets the nonce of the sign-in, before the window goes there.
   * @param steps.accept - Gets the provider's ID token, which names the nonce; also after `popup_closed`.
   */
  proveElsewhere(
    providerId: string,
    opened: SignInWindow,
    steps: {
      announce: (nonce: string) => Promise<void>;
      accept: (idToken: string) => Promise<void>;
    },
  ): Promise<void>;
  /** Has the person who is signed in at a provider show again, in a window, who they are. @throws {SignInError} `other_person`. */
  confirmInWindow(opened: SignInWindow): Promise<void>;
  /** Signs out here and in every other tab, also while the provider cannot be reached, and leaves the page for the provider if that can sign people out. */
  signOut(): Promise<void>;
  /** @returns The name of the provider that signed the person out and sent them back; undefined when `signOut` of this tab did not ask for it. */
  completeSignOut(state: string): string | undefined;
  /** Asks the provider for the person as they are now, after a change such as a confirmed address. */
  renew(): Promise<void>;
  /** Undefined where Firebase is not configured, and until its client is loaded. */
  readonly firebase?: FirebaseSignIn | undefined;
  /** The ID token of who is signed in. Another one than that which was refused, unless it is as new as can be. */
  getIdToken: GetIdToken;
}

/** The provider refused, or the way there and back was not the one that was started. */
export class SignInError extends Error {
  override readonly name = "SignInError";
  /** OAuth's word for it, such as `access_denied`, or our own. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
