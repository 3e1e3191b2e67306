import { t } from "@lingui/core/macro";
import type { AuthState, Session } from "./session.ts";

const LOADING: AuthState = {
  isLoading: true,
  user: undefined,
  ended: undefined,
  trouble: undefined,
};

/**
 * A session whose code is loaded when the page starts. Until then it is loading, like any other that does not know yet who is
 * signed in; where the code cannot be loaded, `retry` tries again.
 */
export function createLateSession(load: () => Promise<Session>): Session {
  let state = LOADING;
  let loaded: Session | undefined;
  let loading: Promise<Session> | undefined;
  const listeners = new Set<() => void>();

  function notify(): void {
    for (const listener of listeners) {
      listener();
    }
  }

  async function open(): Promise<Session> {
    const session = await load();
    loaded = session;
    session.subscribe(notify);
    session.start();
    return session;
  }

  function find(): Promise<Session> {
    loading ??= open().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  function start(): void {
    find().then(notify, () => {
      state = {
        ...LOADING,
        trouble: t`The sign-in service cannot be loaded. Check your connection, then try again.`,
      };
      notify();
    });
  }

  return {
    getState: () => loaded?.getState() ?? state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start,
    retry: () => (loaded === undefined ? start() : loaded.retry()),
    signIn: async (credentials) => (await find()).signIn(credentials),
    openSignIn: async () => (await find()).openSignIn(),
    register: async (registration) => (await find()).register(registration),
    startRedirect: async (providerId) => (await find()).startRedirect(providerId),
    startSso: async (target) => (await find()).startSso(target),
    completeRedirect: async (url) => (await find()).completeRedirect(url),
    signInInWindow: async (providerId, opened) => (await find()).signInInWindow(providerId, opened),
    proveElsewhere: async (...input) => (await find()).proveElsewhere(...input),
    confirmInWindow: async (opened) => (await find()).confirmInWindow(opened),
    completeSignOut: (state) => loaded?.completeSignOut(state),
    signOut: async () => (await find()).signOut(),
    renew: async () => (await find()).renew(),
    get firebase() {
      return loaded?.firebase;
    },
    getIdToken: async (refused, isOver) => (await find()).getIdToken(refused, isOver),
  };
}
