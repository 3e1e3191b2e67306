import type { AuthState, Session } from "../session.ts";
import type { FirebaseSession } from "./create-firebase-session.ts";

/**
 * One session of two: the providers that speak OpenID Connect, and Firebase. One person is signed in at a time: a sign-in with
 * one ends the session with the other.
 *
 * @param input.hasPasswords - True where the form for passwords is Firebase's.
 */
export function joinSessions(input: {
  own: Session;
  firebase: FirebaseSession;
  hasPasswords: boolean;
}): Session {
  const { own, firebase } = input;
  const withForm = input.hasPasswords ? firebase : own;
  let state = toState(own, firebase);
  const listeners = new Set<() => void>();

  function onChange(changed: Session, other: Session): void {
    if (changed.getState().user !== undefined && other.getState().user !== undefined) {
      // Each of them says so again when it is done.
      void other.signOut();
      return;
    }
    state = toState(changed, other);
    for (const listener of listeners) {
      listener();
    }
  }

  const getActive = (): Session => (firebase.getState().user === undefined ? own : firebase);
  return {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => {
      own.subscribe(() => onChange(own, firebase));
      firebase.subscribe(() => onChange(firebase, own));
      own.start();
      firebase.start();
    },
    retry: () => own.retry(),
    signIn: (credentials) => withForm.signIn(credentials),
    openSignIn: () => own.openSignIn(),
    register: (registration) => withForm.register(registration),
    startRedirect: (providerId) => own.startRedirect(providerId),
    startSso: (target) => own.startSso(target),
    completeRedirect: (url) => own.completeRedirect(url),
    signInInWindow: (providerId, opened) => own.signInInWindow(providerId, opened),
    proveElsewhere: (...input) => own.proveElsewhere(...input),
    confirmInWindow: (opened) => own.confirmInWindow(opened),
    completeSignOut: (state) => own.completeSignOut(state),
    // Both: one of them may still be finding out.
    signOut: async () => void (await Promise.all([own.signOut(), firebase.signOut()])),
    renew: () => getActive().renew(),
    firebase: firebase.firebase,
    getIdToken: (refused, isOver) => getActive().getIdToken(refused, isOver),
  };
}

/** The person who is signed in; loading while neither of the two has a person and one does not know yet. */
function toState(changed: Session, other: Session): AuthState {
  const [one, two] = [changed.getState(), other.getState()];
  if (one.user !== undefined) {
    return one;
  }
  if (two.user !== undefined) {
    return two;
  }
  return two.isLoading ? two : one;
}
