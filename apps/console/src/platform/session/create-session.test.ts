// @vitest-environment jsdom
import { ResponseBodyError } from "oauth4webapi";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAttemptStore } from "./attempt-store.ts";
import type { InteractionOutcome } from "./built-in-provider.ts";
import { createSession } from "./create-session.ts";
import type { NewestEntry } from "./newest-entry.ts";
import type { OidcClient, SignInAttempt, TokenSet } from "./oidc-client.ts";
import type { SessionDeps } from "./session-deps.ts";
import { createSessionStore } from "./session-store.ts";
import { createSignOutStore } from "./sign-out-store.ts";

const LIFETIME_MS = 900_000;
const ATTEMPT: SignInAttempt = { providerId: "builtin", state: "s", nonce: "n", verifier: "v" };
const STORAGE_KEY = "session";

let lastAt = 0;
const nextAt = () => {
  lastAt = Math.max(Date.now(), lastAt + 1);
  return lastAt;
};

/** What all tabs see at once; `localStorage` of a test is that of its own tab. */
let newestText: string | undefined;
const newest: NewestEntry = {
  read: () => Promise.resolve(newestText),
  write: (text) => {
    newestText = text;
    return Promise.resolve();
  },
};

beforeEach(() => {
  vi.useFakeTimers();
  newestText = undefined;
});

afterEach(() => {
  vi.useRealTimers();
  localStorage.clear();
  sessionStorage.clear();
});

function makeTokens(number: number, subject = "ada"): TokenSet {
  const claims = { iss: "i", aud: "console", iat: 0, exp: 900, sub: subject, email: "a@x.example" };
  return {
    idToken: `id-${String(number)}`,
    claims,
    refreshToken: `refresh-${String(number)}`,
    lifetimeMs: LIFETIME_MS,
  };
}

function refusal(status: number): ResponseBodyError {
  const response = new Response(null, { status });
  return new ResponseBodyError("refused", { cause: { error: "invalid_grant" }, response });
}

const NETWORK_FAILURE = new TypeError("Failed to fetch");

/** A session whose provider answers what the test says. */
function makeSession(overrides: Partial<OidcClient> = {}, entry = newest) {
  let handedOut = 0;
  const client = {
    begin: vi.fn(async () => ({ url: new URL("https://idp.example/auth"), attempt: ATTEMPT })),
    finish: vi.fn(async (_callback: URL, _attempt: SignInAttempt) => makeTokens(++handedOut)),
    refresh: vi.fn(async (_token: string) => makeTokens(++handedOut)),
    revoke: vi.fn(async () => undefined),
    findSignOutUrl: vi.fn(async () => undefined),
    ...overrides,
  };
  const provider = {
    open: vi.fn(async () => "uid"),
    answer: vi.fn(
      async (_interaction: string, step: string, _body: object): Promise<InteractionOutcome> =>
        step === "register" ? { confirmationSent: true } : { redirectTo: "/idp/auth/uid" },
    ),
    ask: vi.fn(async (): Promise<unknown> => ({})),
    leaveForSso: vi.fn(async () => new URL("https://idp.customer.example/sso")),
    follow: vi.fn(async () => new URL("https://console.example/login?code=c&state=s")),
    endSession: vi.fn(async () => undefined),
  };
  const startedAtMs = Date.now();
  const deps: SessionDeps = {
    findClient: (id) => (id === "builtin" ? client : undefined),
    builtIn: { providerId: "builtin", provider },
    store: createSessionStore(window, entry),
    attempts: createAttemptStore(sessionStorage),
    signOuts: createSignOutStore(sessionStorage),
    findName: (id) => (id === "corp" ? "Acme Corp" : undefined),
    askInFrame: vi.fn(
      async (_url: URL, state: string) =>
        new URL(`https://console.example/login?error=login_required&state=${state}`),
    ),
    leaveTo: vi.fn(),
    withLock: (task) => task(),
    nowMs: () => Date.now() - startedAtMs,
  };
  return { session: createSession(deps), client, provider, deps };
}

/** What another tab stored, before its news have reached this one. */
function storeElsewhere(refreshToken: string, subject = "ada"): void {
  newestText = JSON.stringify({ at: nextAt(), providerId: "builtin", subject, refreshToken });
}

function endElsewhere(): void {
  newestText = JSON.stringify({ at: nextAt() });
}

function store(refreshToken: string, subject?: string): void {
  storeElsewhere(refreshToken, subject);
  localStorage.setItem(STORAGE_KEY, newestText ?? "");
}

function tellOfOtherTab(): void {
  window.dispatchEvent(new StorageEvent("storage", { key: STORAGE_KEY }));
}

const settle = () => vi.advanceTimersByTimeAsync(0);

describe("tabs that are opened at the same moment", () => {
  it("use the newest token, also when this one does not see it yet in its own storage", async () => {
    const { session, client } = makeSession();
    store("refresh-0");
    storeElsewhere("refresh-of-other-tab");
    session.start();
    await settle();
    expect(client.refresh).toHaveBeenCalledExactlyOnceWith("refresh-of-other-tab");
    expect(session.getState().user?.subject).toBe("ada");
  });

  it("use their own token when the page was left before it was stored for all", async () => {
    const { session, client } = makeSession();
    storeElsewhere("refresh-0");
    const before = newestText;
    store("refresh-1");
    newestText = before;
    session.start();
    await settle();
    expect(client.refresh).toHaveBeenCalledExactlyOnceWith("refresh-1");
  });

  it("spend no token of a session that another one has ended", async () => {
    const { session, client } = makeSession();
    store("refresh-0");
    endElsewhere();
    session.start();
    await settle();
    expect(client.refresh).not.toHaveBeenCalled();
    expect(session.getState()).toMatchObject({ isLoading: false, user: undefined });
  });

  it("stay signed in where the browser's database is out of order", async () => {
    const broken = () => Promise.reject(new Error("no database"));
    const { session, client } = makeSession({}, { read: broken, write: broken });
    store("refresh-0");
    session.start();
    await settle();
    await session.renew();
    expect(client.refresh).toHaveBeenNthCalledWith(1, "refresh-0");
    expect(client.refresh).toHaveBeenNthCalledWith(2, "refresh-1");
    expect(localStorage.getItem(STORAGE_KEY)).toContain("refresh-2");
  });

  it("renew once, though the news of the other one's renewal come while this one is under way", async () => {
    const { promise, resolve } = Promise.withResolvers<TokenSet>();
    const refresh = vi.fn(() => promise);
    const { session } = makeSession({ refresh });
    store("refresh-0");
    session.start();
    await settle();
    store("refresh-of-other-tab");
    tellOfOtherTab();
    await settle();
    expect(refresh).toHaveBeenCalledExactlyOnceWith("refresh-0");
    resolve(makeTokens(1));
    await settle();
    expect(session.getState()).toMatchObject({ isLoading: false, user: { subject: "ada" } });
    expect(refresh).toHaveBeenCalledOnce();
  });

  it("follow the other one to another person, whose session the late answer leaves alone", async () => {
    const { promise, resolve } = Promise.withResolvers<TokenSet>();
    const refresh = vi.fn((token: string) =>
      token === "refresh-0" ? promise : Promise.resolve(makeTokens(7, "bob")),
    );
    const { session } = makeSession({ refresh });
    store("refresh-0");
    session.start();
    await settle();
    store("refresh-of-bob", "bob");
    tellOfOtherTab();
    resolve(makeTokens(1));
    await settle();
    expect(session.getState()).toMatchObject({ user: { subject: "bob" } });
    expect(localStorage.getItem(STORAGE_KEY)).toContain("refresh-7");
  });
});

describe("the auth state", () => {
  it("starts as loading with no user", () => {
    const { session } = makeSession();
    expect(session.getState()).toMatchObject({ isLoading: true, user: undefined });
  });

  it("becomes loaded without a user when no one is signed in, and sends no request", () => {
    const { session, client } = makeSession();
    session.start();
    expect(session.getState()).toMatchObject({ isLoading: false, user: undefined });
    expect(client.refresh).not.toHaveBeenCalled();
  });

  it("becomes loaded with the user that the provider reports", async () => {
    store("refresh-0");
    const { session, client } = makeSession();
    session.start();
    expect(session.getState().isLoading).toBe(true);
    await settle();

    expect(client.refresh).toHaveBeenCalledWith("refresh-0");
    expect(session.getState()).toMatchObject({
      isLoading: false,
      user: { subject: "ada", providerId: "builtin", email: "a@x.example", emailVerified: false },
    });
    expect(await session.getIdToken()).toBe("id-1");
  });

  it("tells each change to who listens, and no longer to who has left", async () => {
    const { session } = makeSession();
    const listener = vi.fn();
    const stop = session.subscribe(listener);
    session.start();
    await session.signIn({ email: "a@x.example", password: "p" });
    expect(listener).toHaveBeenCalledTimes(2);
    stop();
    await session.signOut();
    expect(listener).toHaveBeenCalledTimes(2);
  });
});

describe("the ID token", () => {
  async function signedIn(overrides: Partial<OidcClient> = {}) {
    const parts = makeSession(overrides);
    parts.session.start();
    await parts.session.signIn({ email: "a@x.example", password: "p" });
    return parts;
  }

  it("is the same for all requests until a minute before its end, then renewed before it is sent", async () => {
    const { session, client } = await signedIn();
    vi.setSystemTime(Date.now() + LIFETIME_MS - 61_000);
    expect(await session.getIdToken()).toBe("id-1");
    vi.setSystemTime(Date.now() + 2_000);
    expect(await Promise.all([session.getIdToken(), session.getIdToken()])).toEqual([
      "id-2",
      "id-2",
    ]);
    expect(client.refresh).toHaveBeenCalledTimes(1);
  });

  it("is renewed before its end without anybody asking, with the newest refresh token each time", async () => {
    const { session, client } = await signedIn();
    await vi.advanceTimersByTimeAsync(LIFETIME_MS - 60_000);
    await vi.advanceTimersByTimeAsync(LIFETIME_MS - 60_000);
    expect(client.refresh).toHaveBeenNthCalledWith(1, "refresh-1");
    expect(client.refresh).toHaveBeenNthCalledWith(2, "refresh-2");
    expect(await session.getIdToken()).toBe("id-3");
  });

  it("keeps the user while the provider cannot be reached, and asks again", async () => {
    let isDown = true;
    const refresh = vi.fn(async () => {
      if (isDown) {
        throw NETWORK_FAILURE;
      }
      return makeTokens(7);
    });
    const { session } = await signedIn({ refresh });
    await vi.advanceTimersByTimeAsync(LIFETIME_MS);
    expect(session.getState().user).toBeDefined();
    await expect(session.getIdToken()).rejects.toThrow("Failed to fetch");

    isDown = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await session.getIdToken()).toBe("id-7");
  });

  it("still carries a request for its last minute while the provider cannot be reached", async () => {
    const { session } = await signedIn({ refresh: () => Promise.reject(NETWORK_FAILURE) });
    vi.setSystemTime(Date.now() + LIFETIME_MS - 30_000);
    expect(await session.getIdToken()).toBe("id-1");
  });

  it("is asked for anew when the refresh token is used up and the provider still knows the person", async () => {
    const { session, client } = await signedIn({ refresh: () => Promise.reject(refusal(400)) });
    await vi.advanceTimersByTimeAsync(LIFETIME_MS - 60_000);
    expect(client.begin).toHaveBeenLastCalledWith({ prompt: "none" });
    expect(await session.getIdToken()).toBe("id-2");
    expect(localStorage.getItem(STORAGE_KEY)).toContain("refresh-2");
  });

  it("signs the person out when the provider now has someone else signed in", async () => {
    const { session, client } = await signedIn({ refresh: () => Promise.reject(refusal(400)) });
    client.finish = vi.fn(async () => makeTokens(9, "grace"));
    await vi.advanceTimersByTimeAsync(LIFETIME_MS);
    expect(session.getState()).toMatchObject({ user: undefined, ended: "by_provider" });
  });

  it("signs the person out when the provider refuses to renew it and knows them no longer", async () => {
    const { session, client } = await signedIn({ refresh: () => Promise.reject(refusal(400)) });
    client.finish = vi.fn(() => Promise.reject(refusal(400)));
    await vi.advanceTimersByTimeAsync(LIFETIME_MS);
    expect(session.getState()).toMatchObject({ user: undefined, ended: "by_provider" });
    expect(localStorage.getItem(STORAGE_KEY)).toBeNull();
    expect(await session.getIdToken()).toBeUndefined();
  });

  it("takes a provider that fails for one that cannot be reached", async () => {
    const { session } = await signedIn({ refresh: () => Promise.reject(refusal(503)) });
    await vi.advanceTimersByTimeAsync(LIFETIME_MS);
    expect(session.getState().user).toBeDefined();
  });

  it("is renewed with what another tab has left, one tab at a time", async () => {
    const { session, client, deps } = await signedIn();
    const free = Promise.withResolvers<void>();
    deps.withLock = async (task) => {
      await free.promise;
      return await task();
    };
    const renewed = session.renew();
    store("refresh-of-other-tab");
    free.resolve();
    await renewed;
    expect(client.refresh).toHaveBeenLastCalledWith("refresh-of-other-tab");
  });
});

describe("a page that starts while the provider cannot be reached", () => {
  it("says so, keeps trying, and lets the person try at once or sign out", async () => {
    store("refresh-0");
    let isDown = true;
    const refresh = vi.fn(async () => {
      if (isDown) {
        throw NETWORK_FAILURE;
      }
      return makeTokens(1);
    });
    const { session } = makeSession({ refresh });
    session.start();
    await settle();
    expect(session.getState()).toMatchObject({ isLoading: true, user: undefined });
    expect(session.getState().trouble).toContain("cannot be reached");

    await vi.advanceTimersByTimeAsync(2_000);
    expect(refresh).toHaveBeenCalledTimes(2);
    isDown = false;
    session.retry();
    await settle();
    expect(session.getState()).toMatchObject({ isLoading: false, trouble: undefined });
    expect(session.getState().user).toBeDefined();
  });
});

describe("signing in and out", () => {
  it("keeps the refresh token for the next visit, and no other token", async () => {
    const { session } = makeSession();
    session.start();
    await session.signIn({ email: "a@x.example", password: "p" });
    const stored = Object.values({ ...localStorage, ...sessionStorage }).join();
    expect(stored).toContain("refresh-1");
    expect(stored).not.toContain("id-1");
  });

  it("leaves nothing of the previous person to one whose provider gives no refresh token", async () => {
    const tokens = { ...makeTokens(1, "bob"), refreshToken: undefined };
    const { session, client } = makeSession({ finish: async () => tokens });
    session.start();
    storeElsewhere("refresh-of-ada");
    await session.signIn({ email: "b@x.example", password: "p" });
    expect(session.getState().user?.subject).toBe("bob");
    await vi.advanceTimersByTimeAsync(LIFETIME_MS);
    expect(client.refresh).not.toHaveBeenCalled();
    expect(client.begin).toHaveBeenLastCalledWith({ prompt: "none" });
    expect(session.getState().user?.subject).toBe("bob");
    expect(localStorage.getItem(STORAGE_KEY)).not.toContain("refresh-of-ada");
  });

  it("signs in only after the second step, where the provider asks for one", async () => {
    const { session, provider } = makeSession();
    session.start();
    provider.answer.mockResolvedValueOnce({ factors: ["totp"] });
    const step = await session.signIn({ email: "a@x.example", password: "p" });
    expect(step).toMatchObject({ factors: ["totp"] });
    expect(session.getState().user).toBeUndefined();
    if (typeof step === "object") {
      await step.finish("factor", { code: "123456" });
    }
    expect(provider.answer).toHaveBeenLastCalledWith("uid", "factor", { code: "123456" });
    expect(session.getState().user?.subject).toBe("ada");
    provider.answer.mockResolvedValueOnce({ setUp: true });
    expect(await session.signIn({ email: "a@x.example", password: "p" })).toMatchObject({
      factors: undefined,
    });
  });

  it("asks for a confirmation by mail without signing in", async () => {
    const { session } = makeSession();
    session.start();
    const outcome = await session.register({ email: "a@x.example", password: "p" });
    expect(outcome).toBe("confirmation_sent");
    expect(session.getState().user).toBeUndefined();
  });

  it("leaves the page for a provider and comes back with the attempt of this tab, once", async () => {
    const { session, client, deps } = makeSession();
    session.start();
    await session.startRedirect("builtin");
    expect(deps.leaveTo).toHaveBeenCalledWith(new URL("https://idp.example/auth"));

    const callback = new URL("https://console.example/login?code=c&state=s");
    await session.completeRedirect(callback);
    expect(client.finish).toHaveBeenCalledWith(callback, ATTEMPT);
    expect(session.getState().user?.subject).toBe("ada");
    await expect(session.completeRedirect(callback)).rejects.toMatchObject({
      code: "unknown_attempt",
    });
  });

  it("signs out here also when the provider refuses, and tells it", async () => {
    const { session, client, provider } = makeSession({
      revoke: vi.fn(() => Promise.reject(NETWORK_FAILURE)),
    });
    session.start();
    await session.signIn({ email: "a@x.example", password: "p" });
    await session.signOut();
    expect(session.getState()).toMatchObject({ user: undefined, ended: "by_person" });
    expect(localStorage.getItem(STORAGE_KEY)).toBeNull();
    expect(client.revoke).toHaveBeenCalledWith("refresh-1");
    expect(provider.endSession).toHaveBeenCalledTimes(1);
  });

  it("is not undone by an answer that comes after it", async () => {
    const late = Promise.withResolvers<TokenSet>();
    const { session } = makeSession({ refresh: () => late.promise });
    session.start();
    await session.signIn({ email: "a@x.example", password: "p" });
    const renewed = session.renew();
    await session.signOut();
    late.resolve(makeTokens(9));
    await renewed;
    expect(session.getState().user).toBeUndefined();
    expect(localStorage.getItem(STORAGE_KEY)).toBeNull();
  });

  it("is not undone by a token that is still being stored", async () => {
    const stored = Promise.withResolvers<void>();
    const write = vi.fn(() => Promise.resolve()).mockReturnValueOnce(stored.promise);
    const { session } = makeSession({}, { ...newest, write });
    session.start();
    const signedIn = session.signIn({ email: "a@x.example", password: "p" });
    await settle();
    await session.signOut();
    stored.resolve();
    await signedIn;
    expect(write).toHaveBeenLastCalledWith(expect.not.stringContaining("refresh"));
    expect(localStorage.getItem(STORAGE_KEY)).toBeNull();
  });

  it("happens here too when another tab signs out", async () => {
    const { session } = makeSession();
    session.start();
    await session.signIn({ email: "a@x.example", password: "p" });
    endElsewhere();
    localStorage.removeItem(STORAGE_KEY);
    tellOfOtherTab();
    expect(session.getState().user).toBeUndefined();
  });

  it("happens here too when another tab signs in", async () => {
    const { session } = makeSession();
    session.start();
    store("refresh-0");
    tellOfOtherTab();
    await settle();
    expect(session.getState().user?.subject).toBe("ada");
  });

  it("is left alone by another tab that only renewed", async () => {
    const { session, client } = makeSession();
    session.start();
    await session.signIn({ email: "a@x.example", password: "p" });
    store("refresh-of-other-tab");
    tellOfOtherTab();
    await settle();
    expect(client.refresh).not.toHaveBeenCalled();
    expect(session.getState().user).toBeDefined();
  });
});

describe("a token that the service refuses", () => {
  async function signedIn(overrides: Partial<OidcClient> = {}) {
    const made = makeSession(overrides);
    made.session.start();
    await made.session.signIn({ email: "a@x.example", password: "p" });
    return made;
  }

  it("is replaced once, however many requests it was refused to", async () => {
    const { session, client } = await signedIn();
    await vi.advanceTimersByTimeAsync(60_000);
    const tokens = await Promise.all([session.getIdToken("id-1"), session.getIdToken("id-1")]);
    expect(tokens).toEqual(["id-2", "id-2"]);
    expect(await session.getIdToken("id-1")).toBe("id-2");
    expect(client.refresh).toHaveBeenCalledOnce();
  });

  it("is not replaced again and again when the service takes none", async () => {
    const { session, client } = await signedIn();
    expect(await session.getIdToken("id-1")).toBe("id-1");
    expect(client.refresh).not.toHaveBeenCalled();
  });

  it("ends the session without asking the provider when the service says that it is over", async () => {
    const { session, client } = await signedIn();
    const idToken = await session.getIdToken();
    expect(await session.getIdToken("an older one", true)).toBe(idToken);
    expect(await session.getIdToken(idToken, true)).toBeUndefined();
    expect(session.getState()).toMatchObject({ user: undefined, ended: "by_provider" });
    expect(client.refresh).not.toHaveBeenCalled();
    expect(client.revoke).toHaveBeenCalledOnce();
    expect(JSON.parse(newestText ?? "{}")).not.toHaveProperty("refreshToken");
  });

  it("ends the session when the provider takes it for ended too", async () => {
    const { session } = await signedIn({
      refresh: () => Promise.reject(refusal(400)),
      finish: vi
        .fn(async (_callback: URL, _attempt: SignInAttempt) => makeTokens(1))
        .mockResolvedValueOnce(makeTokens(1))
        .mockRejectedValueOnce(refusal(400)),
    });
    await vi.advanceTimersByTimeAsync(60_000);
    await expect(session.getIdToken("id-1")).rejects.toThrow();
    expect(session.getState()).toMatchObject({ user: undefined, ended: "by_provider" });
  });
});

describe("single sign-on", () => {
  it("leaves for the organization's provider, and the way back is that of a redirect", async () => {
    const { session, provider, deps } = makeSession();
    await session.startSso({ email: "ann@customer.example" });
    expect(provider.leaveForSso).toHaveBeenCalledWith("uid", { email: "ann@customer.example" });
    expect(deps.leaveTo).toHaveBeenCalledWith(new URL("https://idp.customer.example/sso"));
    await session.completeRedirect(new URL("https://console.example/login?code=c&state=s"));
    expect(session.getState().user?.subject).toBe("ada");
  });
});
