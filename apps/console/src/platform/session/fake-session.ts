import type { AuthState, Session, User } from "./session.ts";

/** A session of a test, which says who is signed in. */
export interface FakeSession extends Session {
  change(state: Partial<AuthState>): void;
}

/** Makes a session in which no one is signed in. */
export function makeFakeSession(): FakeSession {
  let state: AuthState = {
    isLoading: false,
    user: undefined,
    ended: undefined,
    trouble: undefined,
  };
  const listeners = new Set<() => void>();
  const change = (next: Partial<AuthState>): void => {
    state = { ...state, ...next };
    for (const listener of listeners) {
      listener();
    }
  };
  const notOffered = () => Promise.reject(new Error("The test does not sign in"));
  return {
    change,
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => undefined,
    retry: () => undefined,
    signIn: notOffered,
    openSignIn: notOffered,
    register: notOffered,
    startRedirect: notOffered,
    startSso: notOffered,
    completeRedirect: notOffered,
    signInInWindow: notOffered,
    proveElsewhere: notOffered,
    confirmInWindow: notOffered,
    completeSignOut: () => undefined,
    signOut: () => {
      change({ user: undefined, ended: "by_person" });
      return Promise.resolve();
    },
    renew: () => Promise.resolve(),
    getIdToken: async () => await state.user?.getIdToken(),
  };
}

/** Makes a signed-in user with the token `token-of-<subject>`. */
export function makeUser(subject = "ada"): User {
  return {
    subject,
    providerId: "builtin",
    email: `${subject}@example.com`,
    emailVerified: true,
    name: undefined,
    getIdToken: () => Promise.resolve(`token-of-${subject}`),
  };
}
