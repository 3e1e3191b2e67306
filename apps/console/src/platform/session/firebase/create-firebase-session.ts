import { t } from "@lingui/core/macro";
import type { AuthState, FirebaseSignIn, Session, User } from "../session.ts";
import type { FirebaseClient, FirebasePerson } from "./firebase-client.ts";
import { FirebaseFailure, toFirebaseCode, toSignedOut } from "./firebase-failure.ts";

/** A token that is refused though it is younger is not renewed: the next one would be refused as well. */
const RENEW_REFUSED_AFTER_MS = 10_000;
/** Left in the tab while the person is at Google. */
const REDIRECT_MARK = "firebase-redirect";
/** Codes of a browser that opens no window here. */
const NO_WINDOW: readonly (string | undefined)[] = [
  "auth/popup-blocked",
  "auth/operation-not-supported-in-this-environment",
];

export type FirebaseSessionDeps = {
  client: FirebaseClient;
  flow: "popup" | "redirect";
  /** Storage of the tab, which outlasts the way to Google and back. */
  tab: Storage;
  /** Milliseconds that only ever grow. */
  nowMs: () => number;
};

export type FirebaseSession = Session & { firebase: FirebaseSignIn };

/** Makes the session of the people of Firebase, whose client keeps and renews the tokens. Nothing happens before `start`. */
export function createFirebaseSession({
  client,
  flow,
  tab,
  nowMs,
}: FirebaseSessionDeps): FirebaseSession {
  let state: AuthState = { isLoading: true, user: undefined, ended: undefined, trouble: undefined };
  let person: FirebasePerson | null = null;
  /** What was said of the person who is shown; the client changes its person in place. */
  let shown = "";
  let idToken: { text: string; givenAtMs: number } | undefined;
  let failure: unknown;
  /** Registrations under way: the person is shown when the account is complete. */
  let registrations = 0;
  /** Requests for tokens under way. When one of them ends the session, it is Firebase that does. */
  let renewals = 0;
  const listeners = new Set<() => void>();

  function change(next: AuthState): void {
    state = next;
    for (const listener of listeners) {
      listener();
    }
  }

  function show(): void {
    if (registrations > 0) {
      return;
    }
    if (person === null) {
      if (state.isLoading || state.user !== undefined) {
        const ended = renewals > 0 ? "by_provider" : "by_person";
        change({
          isLoading: false,
          user: undefined,
          ended: state.user === undefined ? undefined : ended,
          trouble: undefined,
        });
      }
      return;
    }
    const said = JSON.stringify([
      person.uid,
      person.email,
      person.emailVerified,
      person.displayName,
    ]);
    // A new token that says nothing new about the person notifies no listener.
    if (state.user === undefined || said !== shown) {
      shown = said;
      const user = toUser(person, () => getToken());
      change({ isLoading: false, user, ended: undefined, trouble: undefined });
    }
  }

  async function getToken(isForced = false): Promise<string> {
    if (person === null) {
      throw toSignedOut();
    }
    renewals += 1;
    try {
      const text = await person.getIdToken(isForced);
      if (text !== idToken?.text) {
        idToken = { text, givenAtMs: nowMs() };
      }
      return text;
    } catch (cause) {
      throw toTokenFailure(cause);
    } finally {
      renewals -= 1;
    }
  }

  async function start(): Promise<void> {
    if (tab.getItem(REDIRECT_MARK) !== null) {
      tab.removeItem(REDIRECT_MARK);
      await client.completeRedirect().catch((error: unknown) => {
        failure = error;
      });
    }
    client.onIdTokenChanged((next) => {
      person = next;
      show();
    });
  }

  async function leaveForGoogle(): Promise<void> {
    tab.setItem(REDIRECT_MARK, "1");
    try {
      await client.goToGoogle();
    } catch (error) {
      tab.removeItem(REDIRECT_MARK);
      throw error;
    }
  }

  async function continueWithGoogle(chosen = flow): Promise<void> {
    if (chosen === "redirect") {
      await leaveForGoogle();
      return;
    }
    try {
      await client.openGoogle();
    } catch (error) {
      if (!NO_WINDOW.includes(toFirebaseCode(error))) {
        throw error;
      }
      await leaveForGoogle();
    }
  }

  const notOffered = () =>
    Promise.reject(
      new FirebaseFailure("auth/no-such-provider", t`This way to sign in is no longer offered.`),
    );
  return {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => void start(),
    // Its client needs no answer to know who is signed in: there is nothing to ask for again.
    retry: () => undefined,
    signIn: async (credentials) => {
      await client.signIn(credentials);
      return "signed_in";
    },
    openSignIn: notOffered,
    register: async (registration) => {
      registrations += 1;
      try {
        await client.register(registration);
      } finally {
        registrations -= 1;
        show();
      }
      return "signed_in";
    },
    startRedirect: notOffered,
    startSso: notOffered,
    completeRedirect: notOffered,
    signInInWindow: notOffered,
    proveElsewhere: notOffered,
    confirmInWindow: notOffered,
    completeSignOut: () => undefined,
    signOut: () => client.signOut(),
    renew: () => client.reload(),
    firebase: {
      continueWithGoogle,
      sendResetMail: (email) => client.sendResetMail(email),
      sendVerificationMail: () => client.sendVerificationMail(),
      takeFailure: () => {
        const taken = failure;
        failure = undefined;
        return taken;
      },
    },
    getIdToken: async (refused) => {
      if (state.user === undefined) {
        return undefined;
      }
      const isOld =
        idToken !== undefined &&
        refused === idToken.text &&
        nowMs() - idToken.givenAtMs >= RENEW_REFUSED_AFTER_MS;
      return await getToken(isOld);
    },
  };
}

/** In words, because any request may show it. */
function toTokenFailure(cause: unknown): Error {
  return toFirebaseCode(cause) === "auth/network-request-failed"
    ? new FirebaseFailure(
        "auth/network-request-failed",
        t`The sign-in service cannot be reached. Check your connection, then try again.`,
        { cause },
      )
    : toSignedOut(cause);
}

function toUser(person: FirebasePerson, getIdToken: () => Promise<string>): User {
  const { uid, email, emailVerified, displayName } = person;
  return {
    subject: uid,
    providerId: "firebase",
    email: email ?? undefined,
    emailVerified,
    name: displayName === null || displayName === "" ? undefined : displayName,
    getIdToken,
  };
}
