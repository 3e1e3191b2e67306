import type { AttemptStore } from "./attempt-store.ts";
import type { BuiltInProvider, InteractionOutcome } from "./built-in-provider.ts";
import type { OidcClient, TokenSet } from "./oidc-client.ts";
import { isUnreachable } from "./provider-failure.ts";
import { type AuthState, type Session, SignInError } from "./session.ts";
import type { SessionStore, StoredSession } from "./session-store.ts";
import { isSameUser, toUser } from "./to-user.ts";

/** An ID token with less left is renewed before it is sent, in milliseconds. */
const RENEW_BEFORE_MS = 60_000;
/** One that is refused though it is younger is not renewed: the next one would be refused as well. */
const RENEW_REFUSED_AFTER_MS = 10_000;
/** Between two tries to reach a provider: doubles from the first to the second, in milliseconds. */
const RETRY_FIRST_MS = 2_000;
const RETRY_MAX_MS = 60_000;
/** A provider that keeps everybody waiting for the lock is given up on, in milliseconds. */
const LOCK_TIMEOUT_MS = 30_000;

export type SessionDeps = {
  /** The client of a provider; undefined when none has this id. */
  findClient: (providerId: string) => OidcClient | undefined;
  builtIn: { providerId: string; provider: BuiltInProvider } | undefined;
  store: SessionStore;
  attempts: AttemptStore;
  /** Leaves the page. */
  leaveTo: (url: URL) => void;
  /** Runs one task at a time among all tabs. */
  withLock: <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  /** Milliseconds that only ever grow, also when the device's clock is set. */
  nowMs: () => number;
};

type Tokens = { idToken: string; givenAtMs: number; endsAtMs: number };

/** Makes the session of the page. Nothing happens before `start`. */
export function createSession(deps: SessionDeps): Session {
  const { store } = deps;
  let state: AuthState = { isLoading: true, user: undefined, ended: undefined, trouble: undefined };
  let tokens: Tokens | undefined;
  let renewal: Promise<void> | undefined;
  /** What the renewal under way is for; undefined while it waits for its turn. */
  let renewed: StoredSession | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  /** Grows with every sign-in and sign-out, so that an answer that comes too late changes nothing. */
  let epoch = 0;
  const listeners = new Set<() => void>();

  function change(next: AuthState): void {
    state = next;
    for (const listener of listeners) {
      listener();
    }
  }

  function schedule(task: () => void, delayMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(task, delayMs);
  }

  function end(ended: AuthState["ended"]): void {
    epoch += 1;
    clearTimeout(timer);
    tokens = undefined;
    failures = 0;
    renewal = undefined;
    change({ isLoading: false, user: undefined, ended, trouble: undefined });
  }

  /** Resolves when other tabs would use the new token. */
  function accept(providerId: string, set: TokenSet): Promise<void> {
    failures = 0;
    const givenAtMs = deps.nowMs();
    tokens = { idToken: set.idToken, givenAtMs, endsAtMs: givenAtMs + set.lifetimeMs };
    const { sub: subject } = set.claims;
    const { refreshToken } = set;
    const stored =
      refreshToken === undefined
        ? Promise.resolve()
        : store.write({ providerId, subject, refreshToken });
    schedule(renewInBackground, Math.max(set.lifetimeMs - RENEW_BEFORE_MS, set.lifetimeMs / 2));
    const user = toUser(providerId, set, getIdTokenOfUser);
    // A renewal that changes nothing about the person notifies no listener.
    if (state.isLoading || state.trouble !== undefined || !isSameUser(state.user, user)) {
      change({ isLoading: false, user, ended: undefined, trouble: undefined });
    }
    return stored;
  }

  /** Starts the session of a person who signed in in this tab. */
  async function begin(providerId: string, set: TokenSet): Promise<void> {
    epoch += 1;
    if (set.refreshToken === undefined) {
      // The stored token belongs to the previous person and would be renewed instead of this person's.
      await store.clear();
    }
    await accept(providerId, set);
  }

  /**
   * Asks the built-in provider whether the person is still signed in there. A page that is closed between the rotation of
   * its token and the answer leaves a used token, and no one should have to sign in again for that.
   */
  async function signInAgain(
    stored: StoredSession,
    client: OidcClient,
    refusal: unknown,
  ): Promise<TokenSet> {
    if (stored.providerId !== deps.builtIn?.providerId) {
      throw refusal;
    }
    const { url, attempt } = await client.begin("none");
    const set = await client.finish(await deps.builtIn.provider.follow(url.href), attempt);
    if (set.claims.sub !== stored.subject) {
      throw refusal;
    }
    return set;
  }

  /** Rotates the refresh token: one tab at a time, because a token that is used twice ends the session. */
  async function renewUnderLock(): Promise<void> {
    const current = epoch;
    const outcome = await deps.withLock(async () => {
      const stored = await store.readNewest();
      const client = stored === undefined ? undefined : deps.findClient(stored.providerId);
      if (stored === undefined || client === undefined) {
        return undefined;
      }
      renewed = stored;
      const set = await client.refresh(stored.refreshToken).catch(async (error: unknown) => {
        if (isUnreachable(error)) {
          throw error;
        }
        return await signInAgain(stored, client, error);
      });
      const isSignedOut = (await store.readNewest()) === undefined;
      if (current === epoch && !isSignedOut) {
        await accept(stored.providerId, set);
      }
      return set;
    }, AbortSignal.timeout(LOCK_TIMEOUT_MS));
    if (outcome === undefined && current === epoch) {
      end(state.user === undefined ? undefined : "by_provider");
    }
  }

  function renew(): Promise<void> {
    if (renewal !== undefined) {
      return renewal;
    }
    const started = epoch;
    const own = renewUnderLock()
      .catch((error: unknown) => {
        if (started === epoch && !isUnreachable(error)) {
          void store.clear();
          end("by_provider");
        }
        throw error;
      })
      .finally(() => {
        // One that was begun for another person goes on.
        if (renewal === own) {
          renewal = undefined;
          renewed = undefined;
        }
      });
    renewal = own;
    return own;
  }

  function renewInBackground(): void {
    const started = epoch;
    renew().catch(() => {
      if (started !== epoch) {
        return;
      }
      failures += 1;
      schedule(renewInBackground, Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_MAX_MS));
      if (state.isLoading) {
        change({
          ...state,
          trouble: "The sign-in service cannot be reached. Trying again in a moment.",
        });
      }
    });
  }

  async function getIdTokenOfUser(): Promise<string> {
    if (tokens === undefined || tokens.endsAtMs - deps.nowMs() < RENEW_BEFORE_MS) {
      const isGood = (): boolean => tokens !== undefined && tokens.endsAtMs > deps.nowMs();
      await renew().catch((error: unknown) => {
        // What is left of the old one may still carry this request.
        if (!isGood()) {
          throw error;
        }
      });
    }
    if (tokens === undefined) {
      throw new SignInError("signed_out", "You are signed out.");
    }
    return tokens.idToken;
  }

  /** Another tab signed in, signed out, or changed the person. */
  function followOtherTab(): void {
    const stored = store.read();
    if (stored === undefined) {
      if (state.user !== undefined || state.isLoading) {
        end("by_person");
      }
      return;
    }
    // While the page is being opened, the renewal under way is the one that is asked for: it takes the newest token when its
    // turn comes. A second one would spend the same token.
    const own = state.user ?? (renewal === undefined ? undefined : (renewed ?? stored));
    if (stored.subject !== own?.subject || stored.providerId !== own.providerId) {
      epoch += 1;
      renewal = undefined;
      renewInBackground();
    }
  }

  function openBuiltIn(): { providerId: string; provider: BuiltInProvider; client: OidcClient } {
    const client = deps.builtIn && deps.findClient(deps.builtIn.providerId);
    if (deps.builtIn === undefined || client === undefined) {
      throw new SignInError("no_built_in", "This service uses another way to sign in.");
    }
    return { ...deps.builtIn, client };
  }

  async function signInWithForm(
    prompt: string,
    send: (provider: BuiltInProvider, interaction: string) => Promise<InteractionOutcome>,
  ): Promise<boolean> {
    const { providerId, provider, client } = openBuiltIn();
    const { url, attempt } = await client.begin(prompt);
    const outcome = await send(provider, await provider.open(url));
    if ("confirmationSent" in outcome) {
      return false;
    }
    const callback = await provider.follow(outcome.redirectTo);
    const set = await client.finish(callback, attempt);
    await begin(providerId, set);
    return true;
  }

  return {
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => {
      store.onChangeElsewhere(followOtherTab);
      if (store.read() === undefined) {
        change({ ...state, isLoading: false });
      } else {
        renewInBackground();
      }
    },
    retry: renewInBackground,
    signIn: async (credentials) => {
      await signInWithForm("login", (provider, id) => provider.logIn(id, credentials));
    },
    register: async (registration) => {
      const isSignedIn = await signInWithForm("create", (provider, id) =>
        provider.register(id, registration),
      );
      return isSignedIn ? "signed_in" : "confirmation_sent";
    },
    startRedirect: async (providerId) => {
      const client = deps.findClient(providerId);
      if (client === undefined) {
        throw new SignInError("unknown_provider", "This way to sign in is no longer offered.");
      }
      const { url, attempt } = await client.begin();
      deps.attempts.write(attempt);
      deps.leaveTo(url);
    },
    completeRedirect: async (callback) => {
      const attempt = deps.attempts.take();
      const client = attempt && deps.findClient(attempt.providerId);
      if (attempt === undefined || client === undefined) {
        throw new SignInError(
          "unknown_attempt",
          "This response does not belong to a sign-in started in this tab.",
        );
      }
      const set = await client.finish(callback, attempt);
      await begin(attempt.providerId, set);
    },
    signOut: async () => {
      const known = store.read();
      const newest = store.readNewest();
      const cleared = store.clear();
      end("by_person");
      const stored = (await newest) ?? known;
      const client = stored && deps.findClient(stored.providerId);
      // The person is signed out here also when the provider refuses.
      await Promise.allSettled([
        cleared,
        client?.revoke(stored?.refreshToken ?? ""),
        stored?.providerId === deps.builtIn?.providerId
          ? deps.builtIn?.provider.endSession()
          : undefined,
      ]);
    },
    renew,
    getIdToken: async (refused) => {
      if (state.user === undefined) {
        return undefined;
      }
      const isOld =
        tokens !== undefined && deps.nowMs() - tokens.givenAtMs >= RENEW_REFUSED_AFTER_MS;
      if (isOld && refused === tokens?.idToken) {
        await renew();
      }
      return await getIdTokenOfUser();
    },
  };
}
