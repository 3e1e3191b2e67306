import { calculatePKCECodeChallenge, JWT_TIMESTAMP_CHECK } from "oauth4webapi";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { IdentityProvider } from "../client-config.ts";
import { createOidcClient, type SignInAttempt } from "./oidc-client.ts";

const REDIRECT_URI = "https://console.example.com/login";
const PAGE = new URL("http://localhost:3000/login");
const ISSUER = "https://login.example.com";
const PROVIDER: IdentityProvider = {
  id: "corp",
  kind: "oidc",
  name: "Acme Corp",
  issuer: ISSUER,
  clientId: "turnpike",
};
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize?tenant=1`,
  token_endpoint: `${ISSUER}/token`,
  scopes_supported: ["openid", "email", "offline_access"],
  id_token_signing_alg_values_supported: ["ES256"],
};

beforeEach(() => {
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("location", PAGE);
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

type FakeProvider = {
  metadata?: object;
  /** What the token endpoint answers. */
  answer?: () => Response;
};

/** A provider that answers what the test says, and keeps what it was asked. */
function fakeProvider({ metadata = METADATA, answer }: FakeProvider = {}) {
  const asked: { url: string; body: URLSearchParams }[] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    asked.push({ url, body: new URLSearchParams(String(init.body ?? "")) });
    return url.endsWith("/.well-known/openid-configuration")
      ? Response.json(metadata)
      : (answer?.() ?? Response.json({ error: "invalid_grant" }, { status: 400 }));
  });
  return asked;
}

function encode(part: object): string {
  return btoa(JSON.stringify(part)).replace(/=/g, "").replace(/\+/g, "-").replace(/\//g, "_");
}

/** An answer of the token endpoint. The signature is not what a public client looks at: TLS and the code vouch for it. */
function tokens(claims: object, headers: Record<string, string> = {}): Response {
  const iat = Math.floor(Date.now() / 1000);
  const payload = { iss: ISSUER, aud: "turnpike", sub: "ada", iat, exp: iat + 900, ...claims };
  const idToken = `${encode({ alg: "ES256" })}.${encode(payload)}.${encode({})}`;
  return Response.json(
    { access_token: "a", token_type: "Bearer", id_token: idToken, refresh_token: "r1" },
    { headers },
  );
}

function callback(attempt: SignInAttempt, extra: Record<string, string> = {}): URL {
  const url = new URL(REDIRECT_URI);
  url.search = new URLSearchParams({ code: "c0de", state: attempt.state, ...extra }).toString();
  return url;
}

describe("createOidcClient", () => {
  it("asks for a code with PKCE, state and nonce, which no two attempts share", async () => {
    fakeProvider();
    const client = createOidcClient(PROVIDER, REDIRECT_URI);
    const first = await client.begin();
    const second = await client.begin({ prompt: "create" });

    expect(Object.fromEntries(first.url.searchParams)).toEqual({
      tenant: "1",
      client_id: "turnpike",
      response_type: "code",
      redirect_uri: REDIRECT_URI,
      scope: "openid profile email offline_access",
      state: first.attempt.state,
      nonce: first.attempt.nonce,
      code_challenge: await calculatePKCECodeChallenge(first.attempt.verifier),
      code_challenge_method: "S256",
      // So that the token says when the person signed in.
      max_age: "31536000",
    });
    expect(second.url.searchParams.get("prompt")).toBe("create");
    const secrets = [first, second].flatMap(({ attempt }) => [
      attempt.state,
      attempt.nonce,
      attempt.verifier,
    ]);
    expect(new Set(secrets).size).toBe(6);
  });

  it("gets metadata and tokens from the server where the client has a secret, by a nonce made of the verifier", async () => {
    const own = "https://console.example.com/auth/providers/corp";
    const asked: string[] = [];
    let nonce = "";
    vi.stubGlobal("fetch", async (url: string) => {
      asked.push(url);
      return url === `${own}/configuration`
        ? Response.json({ ...METADATA, token_endpoint: `${own}/token` })
        : tokens({ nonce });
    });
    const client = createOidcClient({ ...PROVIDER, tokensBy: "server" }, REDIRECT_URI);
    const { url, attempt } = await client.begin();
    nonce = attempt.nonce;
    expect(url.origin).toBe(ISSUER);
    expect(nonce).toBe(await calculatePKCECodeChallenge(`nonce.${attempt.verifier}`));
    await client.finish(callback(attempt), attempt);
    expect(asked).toEqual([`${own}/configuration`, `${own}/token`]);
  });

  it("asks for no scope that the provider does not know", async () => {
    fakeProvider({ metadata: { ...METADATA, scopes_supported: ["openid"] } });
    const { url } = await createOidcClient(PROVIDER, REDIRECT_URI).begin();
    expect(url.searchParams.get("scope")).toBe("openid profile email");
  });

  it("exchanges the code with the verifier and returns who it is, once", async () => {
    let nonce = "";
    const asked = fakeProvider({ answer: () => tokens({ nonce, email: "ada@example.com" }) });
    const client = createOidcClient(PROVIDER, REDIRECT_URI);
    const { attempt } = await client.begin();
    nonce = attempt.nonce;

    const set = await client.finish(callback(attempt), attempt);

    expect(set).toMatchObject({
      claims: { sub: "ada", email: "ada@example.com" },
      refreshToken: "r1",
      lifetimeMs: 900_000,
    });
    expect(Object.fromEntries(asked.at(-1)?.body ?? [])).toMatchObject({
      grant_type: "authorization_code",
      code: "c0de",
      code_verifier: attempt.verifier,
      redirect_uri: REDIRECT_URI,
      client_id: "turnpike",
    });
  });

  it.each([
    { why: "another state", extra: { state: "other" }, claims: {} },
    { why: "another issuer in the answer", extra: { iss: "https://evil.example" }, claims: {} },
    { why: "another nonce", extra: {}, claims: { nonce: "other" } },
    { why: "another audience", extra: {}, claims: { aud: "someone-else" } },
    { why: "another issuer in the token", extra: {}, claims: { iss: "https://evil.example" } },
    { why: "a token that has ended", extra: {}, claims: { exp: 1 } },
  ])("refuses $why", async ({ extra, claims }) => {
    let nonce = "";
    fakeProvider({ answer: () => tokens({ nonce, ...claims }) });
    const client = createOidcClient(PROVIDER, REDIRECT_URI);
    const { attempt } = await client.begin();
    nonce = attempt.nonce;
    await expect(client.finish(callback(attempt, extra), attempt)).rejects.toThrow();
  });

  it("takes a token although this device's clock is an hour behind, and does not renew it early", async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
    let nonce = "";
    const client = createOidcClient(PROVIDER, REDIRECT_URI);
    fakeProvider({
      answer: () => {
        const served = new Date(Date.now() + 3_600_000);
        const iat = Math.floor(served.getTime() / 1000);
        return tokens({ nonce, iat, nbf: iat, exp: iat + 900 }, { date: served.toUTCString() });
      },
    });
    const { attempt } = await client.begin();
    nonce = attempt.nonce;
    const set = await client.finish(callback(attempt), attempt);
    expect(set.lifetimeMs).toBe(900_000);
  });

  it.each([
    ["by the time of our own server where the provider keeps its time to itself", 3_600_000, true],
    ["not when our own server’s time is this device’s", 0, false],
  ])("takes a token of another time %s", async (_why, ownAheadMs, isTaken) => {
    vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
    const iat = Math.floor((Date.now() + 3_600_000) / 1000);
    const client = createOidcClient(PROVIDER, REDIRECT_URI);
    let nonce = "";
    fakeProvider({ answer: () => tokens({ nonce, iat, nbf: iat, exp: iat + 900 }) });
    const askProvider = globalThis.fetch;
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) =>
      url === "https://console.example.com/config.json"
        ? new Response(null, { headers: { date: new Date(Date.now() + ownAheadMs).toUTCString() } })
        : await askProvider(url, init),
    );
    const { attempt } = await client.begin();
    nonce = attempt.nonce;
    const finished = client.finish(callback(attempt), attempt);
    await (isTaken
      ? expect(finished).resolves.toMatchObject({ lifetimeMs: 900_000 })
      : expect(finished).rejects.toMatchObject({ code: JWT_TIMESTAMP_CHECK }));
  });

  it("asks for what the operator chose, marks windows and frames, and finds the way out", async () => {
    const end = `${ISSUER}/end?tenant=1`;
    fakeProvider({ metadata: { ...METADATA, end_session_endpoint: end } });
    vi.stubGlobal("location", new URL(REDIRECT_URI));
    const chosen = { scopes: ["openid", "groups"], parameters: { hd: "acme", prompt: "consent" } };
    const client = createOidcClient({ ...PROVIDER, ...chosen }, REDIRECT_URI);
    const { url } = await client.begin({ way: "window", loginHint: "ada@example.com" });
    const asked = Object.fromEntries(url.searchParams);
    expect(asked).toMatchObject({
      scope: "openid groups",
      hd: "acme",
      prompt: "consent",
      login_hint: "ada@example.com",
    });
    expect(asked["state"]).toMatch(/^window\.[\w-]{40,}$/);
    const frame = await client.begin({ way: "frame", prompt: "none" });
    expect(frame.url.searchParams.get("prompt")).toBe("none");
    expect(frame.attempt.state).toMatch(/^frame\./);

    const out = await client.findSignOutUrl("id", "s");
    expect(Object.fromEntries(out?.searchParams ?? [])).toEqual({
      tenant: "1",
      client_id: "turnpike",
      post_logout_redirect_uri: REDIRECT_URI,
      state: "s",
      id_token_hint: "id",
    });
    const stays = createOidcClient({ ...PROVIDER, endsSession: false }, REDIRECT_URI);
    expect(await stays.findSignOutUrl("id", "s")).toBeUndefined();
  });

  it("keeps a refresh token that the provider does not rotate", async () => {
    fakeProvider({
      answer: () => {
        const answer = tokens({});
        return new Response(
          answer.body?.pipeThrough(
            new TransformStream({
              transform: (chunk, controller) => {
                const text = new TextDecoder().decode(chunk).replace(',"refresh_token":"r1"', "");
                controller.enqueue(new TextEncoder().encode(text));
              },
            }),
          ),
          { headers: { "content-type": "application/json" } },
        );
      },
    });
    const set = await createOidcClient(PROVIDER, REDIRECT_URI).refresh("old");
    expect(set.refreshToken).toBe("old");
  });

  it("asks the built-in provider nothing before the form is sent", async () => {
    const asked = fakeProvider();
    const builtIn = { ...PROVIDER, kind: "builtin" as const, issuer: `${PAGE.origin}/idp` };
    const { url } = await createOidcClient(builtIn, `${PAGE.origin}/login`).begin({
      prompt: "login",
    });
    expect(url.href).toContain(`${PAGE.origin}/idp/auth?client_id=turnpike`);
    expect(asked).toEqual([]);
  });

  it("says where signing in works when the page was opened at another address", async () => {
    fakeProvider();
    const builtIn = { ...PROVIDER, kind: "builtin" as const };
    await expect(createOidcClient(builtIn, REDIRECT_URI).begin()).rejects.toThrow(
      "You can sign in only at https://console.example.com.",
    );
  });

  it("says that browsers cannot sign in over plain HTTP", async () => {
    vi.stubGlobal("isSecureContext", false);
    await expect(createOidcClient(PROVIDER, REDIRECT_URI).begin()).rejects.toThrow("HTTPS");
  });
});
