import type { Credentials, Registration } from "../session.ts";

/** A signed-in person, as Firebase's client keeps them. */
export type FirebasePerson = {
  uid: string;
  email: string | null;
  emailVerified: boolean;
  displayName: string | null;
  /** @param isForced - Asks for a new one, also while the present one is good. */
  getIdToken: (isForced?: boolean) => Promise<string>;
};

/** The part of Firebase's client that the session uses. Its errors have codes that begin with `auth/`. */
export interface FirebaseClient {
  /** Calls back once it is known who is signed in, and with every new token, also of other tabs; null: no one. */
  onIdTokenChanged(listener: (person: FirebasePerson | null) => void): void;
  signIn(credentials: Credentials): Promise<void>;
  /** Makes an account and signs in. A mail that confirms the address is sent, or can be asked for later. */
  register(registration: Registration): Promise<void>;
  /** Signs in with Google in a window of its own. */
  openGoogle(): Promise<void>;
  /** Leaves the page for Google. */
  goToGoogle(): Promise<void>;
  /** Ends what `goToGoogle` began before this page was loaded. */
  completeRedirect(): Promise<void>;
  sendResetMail(email: string): Promise<void>;
  sendVerificationMail(): Promise<void>;
  /** Reads the person anew, and gets a token that says so. */
  reload(): Promise<void>;
  signOut(): Promise<void>;
}
