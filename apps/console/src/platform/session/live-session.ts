import { t } from "@lingui/core/macro";
import type { OidcClient, TokenSet } from "./oidc-client.ts";
import { isUnreachable } from "./provider-failure.ts";
import { type AuthState, type Session, SignInError } from "./session.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { StoredSession } from "./session-store.ts";
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

type Tokens = { idToken: string; givenAtMs: number; endsAtMs: number };

/** The session under way: who is signed in, in this tab and the others, and the tokens that prove it. */
export type LiveSession = Pick<
  Session,
  "getState" | "subscribe" | "start" | "retry" | "renew" | "getIdToken"
> & {
  /** Starts the session of a person who signed in in this tab. */
  begin: (providerId: string, set: TokenSet) => Promise<void>;
  end: (ended: AuthState["ended"]) => void;
  /** The provider keeps the person signed in, who was signed out here. */
  keepSignedInAt: (providerName: string) => void;
  /** Of the session as it is now; undefined without one. */
  findHeldToken: () => string | undefined;
  /** Grows with every sign-in and sign-out. */
  getEpoch: () => number;
};

/** Makes the session under way. Nothing happens before `start`. */
export function createLiveSession(deps: SessionDeps): LiveSession {
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
    const stored = store.write({
      providerId,
      subject,
      ...(refreshToken === undefined ? {} : { refreshToken }),
    });
    schedule(renewInBackground, Math.max(set.lifetimeMs - RENEW_BEFORE_MS, set.lifetimeMs / 2));
    const user = toUser(providerId, set, getIdTokenOfUser);
    // A renewal that changes nothing about the person notifies no listener.
    const isNews = state.isLoading || state.trouble !== undefined || state.hasLapsed === true;
    if (isNews || !isSameUser(state.user, user)) {
      change({ isLoading: false, user, ended: undefined, trouble: undefined });
    }
    return stored;
  }

  /** Starts the session of a person who signed in in this tab. */
  async function begin(providerId: string, set: TokenSet): Promise<void> {
    epoch += 1;
    await accept(providerId, set);
  }

  /**
   * Asks the provider whether the person is still signed in there: where it gives no refresh token, and where it refuses one. A
   * page that is closed between the rotation of its token and the answer leaves a used token, and no one should have to sign in
   * again for that.
   */
  async function signInAgain(stored: StoredSession, client: OidcClient): Promise<TokenSet> {
    const isBuiltIn = stored.providerId === deps.builtIn?.providerId;
    const { url, attempt } = await client.begin(
      isBuiltIn
        ? { prompt: "none" }
        : {
            prompt: "none",
            way: "frame",
            loginHint: state.user?.email,
            idTokenHint: tokens?.idToken,
          },
    );
    const callback =
      isBuiltIn && deps.builtIn !== undefined
        ? await deps.builtIn.provider.follow(url.href)
        : await deps.askInFrame(url, attempt.state);
    const set = await client.finish(callback, attempt);
    if (set.claims.sub !== stored.subject) {
      throw new SignInError("other_person", "");
    }
    return set;
  }

  async function renewFrom(stored: StoredSession, client: OidcClient): Promise<TokenSet> {
    const { refreshToken } = stored;
    if (refreshToken === undefined) {
      return await signInAgain(stored, client);
    }
    return await client.refresh(refreshToken).catch(async (error: unknown) => {
      if (isUnreachable(error)) {
        throw error;
      }
      return await signInAgain(stored, client);
    });
  }

  /**
   * The provider has let the person go. Another one than the built-in may only want to see them again: then what they typed stays
   * where it is. The built-in one ends sessions for a reason, such as a new password.
   */
  function loseSession(): void {
    const { user } = state;
    if (user !== undefined && user.providerId !== deps.builtIn?.providerId) {
      clearTimeout(timer);
      tokens = undefined;
      change({ ...state, hasLapsed: true });
      return;
    }
    void store.clear();
    end("by_provider");
  }

  /** The provider has ended the session. What would renew it, which a provider may leave valid, is given up in every tab. */
  async function giveUp(): Promise<void> {
    const newest = store.readNewest();
    const cleared = store.clear();
    end("by_provider");
    const stored = await newest;
    const client = stored && deps.findClient(stored.providerId);
    await Promise.allSettled([
      cleared,
      stored?.refreshToken === undefined ? undefined : client?.revoke(stored.refreshToken),
    ]);
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
      const set = await renewFrom(stored, client);
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
          loseSession();
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
      if (started !== epoch || state.hasLapsed === true) {
        return;
      }
      failures += 1;
      schedule(renewInBackground, Math.min(RETRY_FIRST_MS * 2 ** (failures - 1), RETRY_MAX_MS));
      if (state.isLoading) {
        change({
          ...state,
          trouble: t`The sign-in service cannot be reached. Trying again in a moment.`,
        });
      }
    });
  }

  async function getIdTokenOfUser(): Promise<string> {
    if (state.hasLapsed === true) {
      throw new SignInError("sign_in_needed", "");
    }
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
      throw new SignInError("signed_out", t`You are signed out.`);
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
    const isOther = stored.subject !== own?.subject || stored.providerId !== own.providerId;
    if (isOther || state.hasLapsed === true) {
      epoch += 1;
      renewal = undefined;
      renewInBackground();
    }
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
    renew,
    begin,
    end,
    keepSignedInAt: (providerName) => {
      if (state.user === undefined) {
        change({ ...state, staysSignedInAt: providerName });
      }
    },
    findHeldToken: () => tokens?.idToken,
    getEpoch: () => epoch,
    getIdToken: async (refused, isOver = false) => {
      if (state.user === undefined) {
        return undefined;
      }
      if (isOver && refused === tokens?.idToken) {
        await giveUp();
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
