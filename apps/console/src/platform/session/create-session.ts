import { t } from "@lingui/core/macro";
import type { AttemptStore } from "./attempt-store.ts";
import type { BuiltInProvider } from "./built-in-provider.ts";
import type { OidcClient, SignInAttempt, TokenSet } from "./oidc-client.ts";
import { isUnreachable } from "./provider-failure.ts";
import {
  type AuthState,
  type FormOutcome,
  type OpenSignIn,
  type Session,
  SignInError,
  type SignInWindow,
} from "./session.ts";
import type { SessionStore, StoredSession } from "./session-store.ts";
import type { SignOutStore } from "./sign-out-store.ts";
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
  signOuts: SignOutStore;
  /** What people call a provider. */
  findName: (providerId: string) => string | undefined;
  /** Asks a provider without the person. @throws {SignInError} When it does not answer. */
  askInFrame: (url: URL, state: string) => Promise<URL>;
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
  let openWindow: SignInWindow | undefined;
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

  function openBuiltIn(): { providerId: string; provider: BuiltInProvider; client: OidcClient } {
    const client = deps.builtIn && deps.findClient(deps.builtIn.providerId);
    if (deps.builtIn === undefined || client === undefined) {
      throw new SignInError("no_built_in", t`This service uses another way to sign in.`);
    }
    return { ...deps.builtIn, client };
  }

  /** Opens the built-in provider's form. */
  async function openForm(prompt: string) {
    const { providerId, provider, client } = openBuiltIn();
    const { url, attempt } = await client.begin({ prompt });
    const interaction = await provider.open(url);

    async function send(step: string, body: object): Promise<FormOutcome> {
      const outcome = await provider.answer(interaction, step, body);
      if ("redirectTo" in outcome) {
        const callback = await provider.follow(outcome.redirectTo);
        await begin(providerId, await client.finish(callback, attempt));
        return "signed_in";
      }
      return "confirmationSent" in outcome
        ? "confirmation_sent"
        : { ...open, factors: "factors" in outcome ? outcome.factors : undefined };
    }

    const open: OpenSignIn = {
      ask: (step, body) => provider.ask(interaction, step, body),
      finish: async (step, body) => {
        await send(step, body);
      },
    };
    return { open, send };
  }

  function getClient(providerId: string): OidcClient {
    const client = deps.findClient(providerId);
    if (client === undefined) {
      throw new SignInError("unknown_provider", t`This way to sign in is no longer offered.`);
    }
    return client;
  }

  /** Visits a provider in a window, which closes when its answer has been taken. */
  async function visitInWindow(
    opened: SignInWindow,
    prepare: () => Promise<{
      client: OidcClient;
      url: URL;
      attempt: SignInAttempt;
      take: (set: TokenSet) => Promise<void>;
    }>,
  ): Promise<void> {
    openWindow?.replace();
    openWindow = opened;
    try {
      const { client, url, attempt, take } = await prepare();
      const { answer, left } = opened.visit(url, attempt.state);
      const done = answer.then(async (callback) => {
        try {
          await take(await client.finish(callback, attempt));
        } finally {
          opened.close();
        }
      });
      await Promise.race([done, left]);
    } catch (error) {
      if (!(error instanceof SignInError && error.code === "popup_closed")) {
        opened.close();
      }
      throw error;
    }
  }

  async function signInInWindow(providerId: string, opened: SignInWindow): Promise<void> {
    await visitInWindow(opened, async () => {
      const client = getClient(providerId);
      const loginHint = state.user?.email;
      const begun = await client.begin({ way: "window", loginHint });
      return { client, ...begun, take: (set) => begin(providerId, set) };
    });
  }

  const proveElsewhere: Session["proveElsewhere"] = async (providerId, opened, steps) => {
    await visitInWindow(opened, async () => {
      const client = getClient(providerId);
      const begun = await client.begin({ way: "window", isAnew: true });
      await steps.announce(begun.attempt.nonce);
      return { client, ...begun, take: (set) => steps.accept(set.idToken) };
    });
  };

  async function confirmInWindow(opened: SignInWindow): Promise<void> {
    await visitInWindow(opened, async () => {
      const { user } = state;
      const client = getClient(user?.providerId ?? "");
      const begun = await client.begin({ way: "window", isAnew: true, loginHint: user?.email });
      return {
        client,
        ...begun,
        take: async (set) => {
          if (set.claims.sub !== user?.subject) {
            throw new SignInError("other_person", "");
          }
          await begin(user.providerId, set);
        },
      };
    });
  }

  /** Begins the provider's own sign-out. @returns Its address; undefined when the person stays signed in there. */
  async function findWayOut(stored: StoredSession, idToken: string | undefined) {
    const { providerId } = stored;
    const client = deps.findClient(providerId);
    const providerName = deps.findName(providerId);
    if (client === undefined || providerName === undefined) {
      return undefined;
    }
    const logOutState = crypto.randomUUID();
    // The person is signed out here also when the provider cannot be reached.
    const url = await client.findSignOutUrl(idToken, logOutState).catch(() => undefined);
    if (url !== undefined) {
      deps.signOuts.write({ state: logOutState, providerName });
    } else if (state.user === undefined) {
      change({ ...state, staysSignedInAt: providerName });
    }
    return url;
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
    signIn: async (credentials) => await (await openForm("login")).send("login", credentials),
    openSignIn: async () => (await openForm("login")).open,
    register: async (registration) =>
      await (await openForm("create")).send("register", registration),
    startRedirect: async (providerId) => {
      const { url, attempt } = await getClient(providerId).begin();
      deps.attempts.write(attempt);
      deps.leaveTo(url);
    },
    startSso: async (target) => {
      const { provider, client } = openBuiltIn();
      const { url, attempt } = await client.begin({ prompt: "login" });
      const address = await provider.leaveForSso(await provider.open(url), target);
      deps.attempts.write(attempt);
      deps.leaveTo(address);
    },
    completeRedirect: async (callback) => {
      const attempt = deps.attempts.take();
      const client = attempt && deps.findClient(attempt.providerId);
      if (attempt === undefined || client === undefined) {
        throw new SignInError(
          "unknown_attempt",
          t`This response does not belong to a sign-in started in this tab.`,
        );
      }
      const set = await client.finish(callback, attempt);
      await begin(attempt.providerId, set);
    },
    signInInWindow,
    proveElsewhere,
    confirmInWindow,
    completeSignOut: (logOutState) => deps.signOuts.find(logOutState),
    signOut: async () => {
      const known = store.read();
      const idToken = tokens?.idToken;
      const newest = store.readNewest();
      const cleared = store.clear();
      end("by_person");
      const stored = (await newest) ?? known;
      const client = stored && deps.findClient(stored.providerId);
      // The person is signed out here also when the provider refuses.
      const ended = epoch;
      const isBuiltIn = stored?.providerId === deps.builtIn?.providerId;
      const [, , , found] = await Promise.allSettled([
        cleared,
        stored?.refreshToken === undefined ? undefined : client?.revoke(stored.refreshToken),
        isBuiltIn ? deps.builtIn?.provider.endSession() : undefined,
        stored === undefined || isBuiltIn ? undefined : findWayOut(stored, idToken),
      ]);
      const wayOut = found.status === "fulfilled" ? found.value : undefined;
      if (wayOut !== undefined && epoch === ended) {
        deps.leaveTo(wayOut);
      }
    },
    renew,
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
