// @vitest-environment jsdom
import { ResponseBodyError } from "oauth4webapi";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAttemptStore } from "./attempt-store.ts";
import { createSession } from "./create-session.ts";
import type { OidcClient, SignInRequest, TokenSet } from "./oidc-client.ts";
import { SignInError, type SignInWindow } from "./session.ts";
import { createSessionStore } from "./session-store.ts";

import { createSignOutStore } from "./sign-out-store.ts";

const LIFETIME_MS = 900_000;
const CALLBACK = new URL("https://console.example/login?code=c&state=s");
const END = "https://corp.example/end";

beforeEach(() => vi.useFakeTimers());

afterEach(() => {
  vi.useRealTimers();
  localStorage.clear();
  sessionStorage.clear();
});

function makeTokens(number: number, subject: string): TokenSet {
  const claims = { iss: "i", aud: "x", iat: 0, exp: 900, sub: subject, email: "a@x.example" };
  return {
    idToken: `id-${String(number)}`,
    claims,
    refreshToken: undefined,
    lifetimeMs: LIFETIME_MS,
  };
}

/** A session at a provider that gives no refresh token. */
function makeSession(overrides: Partial<OidcClient> = {}) {
  let handedOut = 0;
  const client = {
    begin: vi.fn(async ({ way }: SignInRequest = {}) => ({
      url: new URL("https://corp.example/auth"),
      attempt: { providerId: "corp", state: `${way ?? "page"}.s`, nonce: "n", verifier: "v" },
    })),
    finish: vi.fn(async () => makeTokens(++handedOut, "ada")),
    refresh: vi.fn(async () => makeTokens(++handedOut, "ada")),
    revoke: vi.fn(async () => undefined),
    ...overrides,
    findSignOutUrl: vi.fn(
      overrides.findSignOutUrl ??
        (async (_idToken: string | undefined, state: string) => new URL(`${END}?state=${state}`)),
    ),
  };
  const askInFrame = vi.fn(async (_url: URL, _state: string) => CALLBACK);
  const leaveTo = vi.fn((_url: URL) => undefined);
  const absent = () => Promise.reject(new Error("no database"));
  const startedAtMs = Date.now();
  const session = createSession({
    findClient: (id) => (id === "corp" ? client : undefined),
    findName: (id) => (id === "corp" ? "Acme Corp" : undefined),
    builtIn: undefined,
    store: createSessionStore(window, { read: absent, write: absent }),
    attempts: createAttemptStore(sessionStorage),
    signOuts: createSignOutStore(sessionStorage),
    askInFrame,
    leaveTo,
    withLock: (task) => task(),
    nowMs: () => Date.now() - startedAtMs,
  });
  session.start();
  return { session, client, askInFrame, leaveTo };
}

function makeWindow() {
  const answer = Promise.withResolvers<URL>();
  const left = Promise.withResolvers<never>();
  left.promise.catch(() => undefined);
  const opened = {
    visit: vi.fn(() => ({ answer: answer.promise, left: left.promise })),
    replace: vi.fn(() => left.reject(new SignInError("popup_replaced", ""))),
    close: vi.fn(),
  } satisfies SignInWindow;
  return { opened, answer, left };
}

async function signedIn(overrides: Partial<OidcClient> = {}) {
  const made = makeSession(overrides);
  const { opened, answer } = makeWindow();
  answer.resolve(CALLBACK);
  await made.session.signInInWindow("corp", opened);
  return made;
}

const settle = () => vi.advanceTimersByTimeAsync(0);
const refusal = new ResponseBodyError("refused", {
  cause: { error: "invalid_grant" },
  response: new Response(null, { status: 400 }),
});

describe("a sign-in in a window", () => {
  it("signs in with the window’s answer, and closes it", async () => {
    const { session } = makeSession();
    const { opened, answer } = makeWindow();
    const signingIn = session.signInInWindow("corp", opened);
    await settle();
    expect(opened.visit).toHaveBeenCalledWith(new URL("https://corp.example/auth"), "window.s");
    answer.resolve(CALLBACK);
    await signingIn;
    expect(session.getState().user).toMatchObject({ subject: "ada", providerId: "corp" });
    expect(opened.close).toHaveBeenCalled();
  });

  it("learns that the window was closed, and takes an answer that still comes", async () => {
    const { session } = makeSession();
    const { opened, answer, left } = makeWindow();
    const signingIn = session.signInInWindow("corp", opened);
    left.reject(new SignInError("popup_closed", ""));
    await expect(signingIn).rejects.toMatchObject({ code: "popup_closed" });
    expect(opened.close).not.toHaveBeenCalled();
    answer.resolve(CALLBACK);
    await settle();
    expect(session.getState().user?.subject).toBe("ada");
  });

  it("gives way to a newer window", async () => {
    const { session } = makeSession();
    const first = makeWindow();
    const signingIn = session.signInInWindow("corp", first.opened);
    const refused = expect(signingIn).rejects.toMatchObject({ code: "popup_replaced" });
    const second = makeWindow();
    second.answer.resolve(CALLBACK);
    await session.signInInWindow("corp", second.opened);
    await refused;
    expect(session.getState().user?.subject).toBe("ada");
  });

  it("leaves no empty window where the provider cannot be asked", async () => {
    const begin = () => Promise.reject(new TypeError("Failed to fetch"));
    const { session } = makeSession({ begin });
    const { opened } = makeWindow();
    await expect(session.signInInWindow("corp", opened)).rejects.toThrow("Failed to fetch");
    expect(opened.close).toHaveBeenCalled();
  });
});

describe("a provider without refresh tokens", () => {
  it("is asked in a frame before the ID token ends, and at the next visit", async () => {
    const { session, client, askInFrame } = await signedIn();
    await vi.advanceTimersByTimeAsync(LIFETIME_MS - 60_000);
    expect(client.begin).toHaveBeenLastCalledWith({
      prompt: "none",
      way: "frame",
      loginHint: "a@x.example",
      idTokenHint: "id-1",
    });
    expect(askInFrame).toHaveBeenCalledWith(new URL("https://corp.example/auth"), "frame.s");
    expect(await session.getIdToken()).toBe("id-2");

    const nextVisit = makeSession();
    await settle();
    expect(nextVisit.session.getState().user?.subject).toBe("ada");
  });

  it.each([
    ["it refuses", () => Promise.reject(refusal)],
    ["it knows another person", async () => makeTokens(9, "grace")],
  ])("keeps the page when %s, until the person signs in again", async (_why, finish) => {
    const { session, client } = await signedIn();
    client.finish = vi.fn(finish);
    await vi.advanceTimersByTimeAsync(LIFETIME_MS);
    expect(session.getState()).toMatchObject({ hasLapsed: true, user: { subject: "ada" } });
    await expect(session.getIdToken()).rejects.toMatchObject({ code: "sign_in_needed" });

    client.finish = vi.fn(async () => makeTokens(10, "ada"));
    const { opened, answer } = makeWindow();
    answer.resolve(CALLBACK);
    await session.signInInWindow("corp", opened);
    expect(session.getState().hasLapsed).toBeUndefined();
    expect(await session.getIdToken()).toBe("id-10");
  });

  it("signs the person out who is refused at the start of a page", async () => {
    await signedIn();
    const { session } = makeSession({ finish: () => Promise.reject(refusal) });
    await settle();
    expect(session.getState()).toMatchObject({ isLoading: false, user: undefined });
    expect(localStorage.getItem("session")).toBeNull();
  });

  it("is asked again while there is no connection", async () => {
    const { session, askInFrame } = await signedIn();
    askInFrame.mockRejectedValueOnce(new TypeError("No connection"));
    await vi.advanceTimersByTimeAsync(LIFETIME_MS - 60_000 + 2_000);
    expect(askInFrame).toHaveBeenCalledTimes(2);
    expect(session.getState().hasLapsed).toBeUndefined();
    expect(await session.getIdToken()).toBe("id-2");
  });
});

describe("signing out at a provider", () => {
  it("ends the session here first, then leads there with the ID token and knows the way back", async () => {
    const { session, client, leaveTo } = await signedIn();
    const signingOut = session.signOut();
    expect(session.getState()).toMatchObject({ user: undefined, ended: "by_person" });
    await signingOut;
    const state = client.findSignOutUrl.mock.calls[0]?.[1] ?? "";
    expect(client.findSignOutUrl).toHaveBeenCalledWith("id-1", state);
    expect(leaveTo).toHaveBeenCalledExactlyOnceWith(new URL(`${END}?state=${state}`));
    expect(session.completeSignOut("of another page")).toBeUndefined();
    expect(session.completeSignOut(state)).toBe("Acme Corp");
  });

  it.each([
    ["has no place for that", async () => undefined],
    ["cannot be reached", () => Promise.reject(new TypeError("Failed to fetch"))],
  ])("says that the person stays signed in there when it %s", async (_why, findSignOutUrl) => {
    const { session, leaveTo } = await signedIn({ findSignOutUrl });
    await session.signOut();
    expect(leaveTo).not.toHaveBeenCalled();
    expect(session.getState()).toMatchObject({ user: undefined, staysSignedInAt: "Acme Corp" });
  });
});
