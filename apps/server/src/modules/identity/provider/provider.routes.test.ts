import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { compactVerify, createLocalJWKSet, decodeProtectedHeader } from "jose";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type IdentityFixture,
  newCredentials,
  type SignIn,
  startIdentityProvider,
  type Tokens,
} from "../testing/identity-provider.fixture.ts";

let database: TestDatabase;
let identity: IdentityFixture;
beforeAll(async () => {
  database = await createTestDatabase();
  identity = await startIdentityProvider(database);
});
afterAll(async () => {
  await identity.close();
  await database.close();
});

async function refresh(token: string | undefined): Promise<Tokens> {
  return await openid.refreshTokenGrant(await identity.oidc(), token ?? "");
}

async function refusalOfRefresh(token: string | undefined): Promise<string> {
  const outcome = await refresh(token).then(
    () => "accepted",
    (error: unknown) =>
      error instanceof openid.ResponseBodyError ? error.error : `failed: ${String(error)}`,
  );
  return outcome;
}

async function sessionCount(): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from oidc_records where model = 'Session'`;
  return row?.count ?? 0;
}

describe("built-in sign-in", () => {
  it("registers a person and signs them in again, by code and PKCE, with verified tokens", async () => {
    const ada = { ...newCredentials(), name: "Ada Lovelace" };
    const registered = await identity.browser().register(ada);
    const { email, password } = ada;
    const again = await identity.browser().signIn({ email, password });

    expect(registered.claims).toMatchObject({
      iss: `${identity.url}/idp`,
      aud: "console",
      email: ada.email,
      email_verified: false,
      name: "Ada Lovelace",
    });
    expect(again.claims.sub).toBe(registered.claims.sub);
    expect(again.claims.sub).toMatch(/^acc_[0-9a-f]{32}$/);
    expect(again.claims.exp - again.claims.iat).toBe(15 * 60);
    expect(typeof again.claims["auth_time"]).toBe("number");
    expect(decodeProtectedHeader(again.tokens.id_token ?? "")).toMatchObject({ alg: "ES256" });
  });

  it("publishes the same keys in memory as over HTTP", async () => {
    const { tokens } = await identity.browser().register(newCredentials());
    const inMemory = createLocalJWKSet({ keys: [...identity.provider().publicKeys()] });
    await compactVerify(tokens.id_token ?? "", inMemory);
    const published = await identity.browser().call("GET", "/idp/jwks");
    expect(published.json.keys.map((key: { kid: string }) => key.kid)).toEqual(
      identity
        .provider()
        .publicKeys()
        .map((key) => key.kid),
    );
    expect(
      JSON.stringify(published.json) + JSON.stringify(identity.provider().publicKeys()),
    ).not.toMatch(/"d":/);
  });

  it("returns the signed-in person at the userinfo endpoint", async () => {
    const ada = newCredentials();
    const { tokens, claims } = await identity.browser().register(ada);
    const info = await openid.fetchUserInfo(await identity.oidc(), tokens.access_token, claims.sub);
    expect(info).toMatchObject({ sub: claims.sub, email: ada.email });
  });

  it("asks for the password again despite a session, if the client requests it", async () => {
    const ada = newCredentials();
    const browser = identity.browser();
    await browser.register(ada);
    expect((await browser.begin({ prompt: "login" })).uid).toMatch(/^[A-Za-z0-9_-]{20,}$/);
  });

  it("signs in a person with a session without a form, if the client requests nothing else", async () => {
    const ada = newCredentials();
    const browser = identity.browser();
    const first = await browser.register(ada);
    const { request } = await browser.begin({ prompt: "none" });
    const landed = await browser.follow(request.url);
    const tokens = await openid.authorizationCodeGrant(await identity.oidc(), landed, {
      pkceCodeVerifier: request.verifier,
      expectedState: request.state,
      expectedNonce: request.nonce,
    });
    expect(tokens.claims()?.sub).toBe(first.claims.sub);
  });

  it("replaces the session when another person signs in in the same browser, and ends the first one's tokens", async () => {
    const browser = identity.browser();
    const first = await browser.register(newCredentials());
    const second = await browser.register(newCredentials());
    expect(second.claims.sub).not.toBe(first.claims.sub);
    expect(await refusalOfRefresh(first.tokens.refresh_token)).toBe("invalid_grant");
    expect((await refresh(second.tokens.refresh_token)).claims()?.sub).toBe(second.claims.sub);
  });

  it("changes the session identifier at each sign-in", async () => {
    const ada = newCredentials();
    const browser = identity.browser();
    await browser.register(ada);
    const before = browser.cookies.get("turnpike_session /")?.value;
    await browser.signIn(ada);
    const after = browser.cookies.get("turnpike_session /")?.value;
    expect(before).toBeDefined();
    expect(after).not.toBe(before);
  });

  it("keeps the session in a cookie that scripts cannot read and other sites do not send", async () => {
    const browser = identity.browser();
    await browser.register(newCredentials());
    const attributes = browser.cookies.get("turnpike_session /")?.attributes ?? "";
    expect(attributes).toMatch(/httponly/i);
    expect(attributes).toMatch(/samesite=lax/i);
    expect(attributes).not.toMatch(/domain/i);
  });

  it("answers nothing that may be cached or framed, and nothing to other sites", async () => {
    const browser = identity.browser();
    const paths = [
      "/idp/.well-known/openid-configuration",
      "/idp/jwks",
      "/idp/auth",
      "/idp/me",
      "/idp/nothing",
    ];
    for (const path of paths) {
      const reply = await browser.call("GET", path, { headers: { origin: "https://other.test" } });
      expect([path, reply.headers.get("cache-control")]).toEqual([path, "no-store"]);
      expect(reply.headers.get("access-control-allow-origin")).toBeNull();
      expect(reply.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(reply.text).not.toContain("<html");
    }
  });
});

describe("refresh tokens", () => {
  it("are replaced at each use and keep the sign-in's time", async () => {
    const { tokens, claims } = await identity.browser().register(newCredentials());
    const next = await refresh(tokens.refresh_token);
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    expect(next.claims()?.["auth_time"]).toBe(claims["auth_time"]);
    expect((await refresh(next.refresh_token)).access_token).not.toBe(next.access_token);
  });

  it("end with their whole family when one is used twice", async () => {
    const { tokens, claims } = await identity.browser().register(newCredentials());
    const next = await refresh(tokens.refresh_token);
    expect(identity.logged()).not.toContain(`used twice`);
    expect(await refusalOfRefresh(tokens.refresh_token)).toBe("invalid_grant");
    expect(identity.logged()).toContain(claims.sub);
    expect(identity.logged()).toContain(`used twice`);
    expect(await refusalOfRefresh(next.refresh_token)).toBe("invalid_grant");
    await expect(
      openid.fetchUserInfo(await identity.oidc(), next.access_token, claims.sub),
    ).rejects.toThrow();
  });

  it("end with their family even when ten use one at the same moment", async () => {
    const { tokens } = await identity.browser().register(newCredentials());
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => refresh(tokens.refresh_token)),
    );
    const given = outcomes.flatMap((one) =>
      one.status === "fulfilled" ? [one.value.refresh_token] : [],
    );
    expect(given.length).toBeLessThanOrEqual(1);
    for (const token of given) {
      expect(await refusalOfRefresh(token)).toBe("invalid_grant");
    }
  });

  it("keep the grant alive for as long as the newest of them", async () => {
    const { tokens } = await identity.browser().register(newCredentials());
    identity.advance(20 * 24 * 60 * 60 * 1_000);
    try {
      await refresh(tokens.refresh_token);
      const [row] = await database.sql<{ days: number }[]>`
        select extract(day from max(expires_at) - now())::int as days from oidc_records where model = 'Grant'`;
      expect(row?.days).toBeGreaterThanOrEqual(49);
    } finally {
      identity.advance(-20 * 24 * 60 * 60 * 1_000);
    }
  });

  it("are ended by a revocation, which reveals nothing about unknown tokens", async () => {
    const { tokens } = await identity.browser().register(newCredentials());
    await openid.tokenRevocation(await identity.oidc(), tokens.refresh_token ?? "");
    await openid.tokenRevocation(await identity.oidc(), "unknown");
    expect(await refusalOfRefresh(tokens.refresh_token)).toBe("invalid_grant");
  });
});

describe("sessions of the provider", () => {
  const DAY_MS = 24 * 60 * 60 * 1_000;

  it("without a person expire within half an hour, and one network can create a bounded number of them", async () => {
    const browser = identity.browser();
    const before = await sessionCount();
    let made = 0;
    let status = 303;
    await identity.stopClock(async () => {
      while (status === 303 && made < 1_000) {
        // A browser that accepts no other cookie counts as a new one each time.
        browser.cookies.set("turnpike_session /", { value: "x", path: "/", attributes: "" });
        ({ status } = await browser.call("GET", "/idp/auth/AAAAAAAAAAAAAAAAAAAA"));
        made += status === 303 ? 1 : 0;
      }
    });
    expect(made).toBe(300);
    expect(status).toBe(429);
    expect(await sessionCount()).toBe(before + made);
    const [row] = await database.sql<{ seconds: number }[]>`
      select max(extract(epoch from expires_at - now()))::int as seconds from oidc_records
      where model = 'Session' and account_id is null`;
    expect(row?.seconds).toBeGreaterThan(0);
    expect(row?.seconds).toBeLessThanOrEqual(30 * 60);
  });

  it("end a year after the sign-in, however often the person returns", async () => {
    const browser = identity.browser();
    await browser.register(newCredentials());
    const comeBack = async () => (await browser.begin({ prompt: "none" })).uid;
    let days = 0;
    try {
      for (; days < 364; days += 28) {
        expect(await comeBack()).toContain("code=");
        identity.advance(28 * DAY_MS);
      }
      expect(await comeBack()).toContain("code=");
      identity.advance(2 * DAY_MS);
      days += 2;
      expect(await comeBack()).toContain("login_required");
    } finally {
      identity.advance(-days * DAY_MS);
    }
  });
});

describe("signing out", () => {
  it("from the console ends the session and everything given out in it, and leads to the start page", async () => {
    const browser = identity.browser();
    const { tokens } = await browser.register(newCredentials());
    const reply = await browser.call("POST", "/idp/session/end");
    expect([reply.status, reply.headers.get("location")]).toEqual([303, `${identity.url}/`]);
    expect(browser.cookies.has("turnpike_session /")).toBe(false);
    expect(await refusalOfRefresh(tokens.refresh_token)).toBe("invalid_grant");
    expect((await browser.begin({ prompt: "none" })).uid).toContain("error=login_required");
  });

  it("is idempotent, and works without a session", async () => {
    const before = await sessionCount();
    const reply = await identity.browser().call("POST", "/idp/session/end");
    expect(reply.status).toBe(303);
    expect(await sessionCount()).toBe(before);
  });

  it("by an address needs an ID token of the session", async () => {
    const browser = identity.browser();
    const { tokens } = await browser.register(newCredentials());
    const other = await identity.browser().register(newCredentials());
    const end = (hint: string) => {
      const query = new URLSearchParams({
        id_token_hint: hint,
        post_logout_redirect_uri: `${identity.url}/`,
        state: "a b",
      });
      return browser.call("GET", `/idp/session/end?${query.toString()}`);
    };
    const unconfirmed = `${identity.url}/login?error=sign_out_unconfirmed`;
    expect((await browser.call("GET", "/idp/session/end")).headers.get("location")).toBe(
      unconfirmed,
    );
    for (const hint of ["", "x", other.tokens.id_token ?? "", `${tokens.id_token ?? ""}x`]) {
      expect((await end(hint)).headers.get("location")).toBe(unconfirmed);
    }
    expect((await end(tokens.id_token ?? "")).headers.get("location")).toBe(
      `${identity.url}/?state=a%20b`,
    );
    expect(await refusalOfRefresh(tokens.refresh_token)).toBe("invalid_grant");
  });

  it("redirects only to the console", async () => {
    const browser = identity.browser();
    const { tokens } = await browser.register(newCredentials());
    const query = new URLSearchParams({
      id_token_hint: tokens.id_token ?? "",
      post_logout_redirect_uri: "https://evil.test/",
    });
    const reply = await browser.call("GET", `/idp/session/end?${query.toString()}`);
    expect(reply.headers.get("location")).toBe(`${identity.url}/`);
  });
});

describe("several processes", () => {
  it("share sessions and tokens, and a restart keeps them", async () => {
    const ada = newCredentials();
    const browser = identity.browser();
    const { tokens, claims } = await browser.register(ada);
    const kids = identity
      .provider()
      .publicKeys()
      .map((key) => key.kid);
    await identity.restart();
    expect(
      identity
        .provider()
        .publicKeys()
        .map((key) => key.kid),
    ).toEqual(kids);
    const next = await refresh(tokens.refresh_token);
    expect(next.claims()?.sub).toBe(claims.sub);
    expect((await browser.begin({ prompt: "none" })).uid).toContain("code=");
  });
});

describe("a new signing key", () => {
  it("signs the next token without a restart, and is already published", async () => {
    const own = await createTestDatabase();
    const rotating = await startIdentityProvider(own);
    try {
      const ada = newCredentials();
      const kidOf = ({ tokens }: SignIn) => decodeProtectedHeader(tokens.id_token ?? "").kid;
      const first = kidOf(await rotating.browser().register(ada));
      rotating.advance(84 * 24 * 60 * 60 * 1_000);
      expect(kidOf(await rotating.browser().signIn(ada))).toBe(first);
      rotating.advance(7 * 24 * 60 * 60 * 1_000);
      const second = kidOf(await rotating.browser().signIn(ada));
      expect(second).not.toBe(first);
      expect(rotating.provider().publicKeys()[0]?.kid).toBe(second);
    } finally {
      await rotating.close();
      await own.close();
    }
  });
});

describe("while the database is down", () => {
  it("tokens are refused temporarily, not permanently", async () => {
    const own = await createTestDatabase();
    const cut = await startIdentityProvider(own);
    try {
      const browser = cut.browser();
      await own.sql.end({ timeout: 1 });
      const form = { grant_type: "refresh_token", client_id: "console", refresh_token: "x" };
      const token = await browser.call("POST", "/idp/token", { form });
      expect([token.status, token.headers.get("retry-after")]).toEqual([503, "2"]);
      expect(token.json.error).toBe("server_error");
      const forgot = { json: { token: "x", password: "x" } };
      const own503 = await browser.call("POST", "/idp/email/confirm", forgot);
      expect([own503.status, own503.json.code]).toEqual([503, "DATABASE_UNAVAILABLE"]);
      const landed = await browser.call("GET", "/idp/auth/AAAAAAAAAAAAAAAAAAAAAAAA");
      expect(landed.headers.get("location")).toContain("/login?error=");
    } finally {
      await cut.close();
      await own.close();
    }
  });
});

describe("over https", () => {
  it("cookies are bound to this host and to TLS, even if a proxy speaks http to us", async () => {
    const consoleUrl = "https://console.test";
    const secure = await startIdentityProvider(database, { consoleUrl });
    try {
      const browser = secure.browser();
      const query = new URLSearchParams({
        client_id: "console",
        response_type: "code",
        redirect_uri: `${consoleUrl}/login`,
        scope: "openid",
        code_challenge: "x".repeat(43),
        code_challenge_method: "S256",
        prompt: "create",
      });
      const begun = await browser.call("GET", `/idp/auth?${query.toString()}`);
      const uid = begun.headers.get("location")?.split("/").at(-1) ?? "";
      const shown = await browser.call("GET", `/idp/interaction/${uid}`);
      expect(shown.headers.get("location")).toBe(`${consoleUrl}/register?interaction=${uid}`);
      const reply = await browser.call("POST", `/idp/interaction/${uid}/register`, {
        json: newCredentials(),
        headers: { origin: consoleUrl },
      });
      expect(reply.json).toEqual({ redirectTo: `/idp/auth/${uid}` });
      const landed = await browser.call("GET", reply.json.redirectTo);
      expect(landed.headers.get("location")).toMatch(/^https:\/\/console\.test\/login\?code=/);
      const names = [...browser.cookies.keys()].toSorted();
      expect(names).toEqual([
        "__Host-turnpike_known /",
        "__Host-turnpike_session /",
        `__Secure-turnpike_interaction /idp/interaction/${uid}`,
      ]);
      for (const { attributes } of browser.cookies.values()) {
        expect(attributes).toMatch(/; secure/i);
        expect(attributes).toMatch(/httponly/i);
      }
    } finally {
      await secure.close();
    }
  });
});

describe("secrets", () => {
  it("are neither in the log nor in the database", async () => {
    const ada = newCredentials();
    const browser = identity.browser();
    const { tokens } = await browser.register(ada);
    const next = await refresh(tokens.refresh_token);
    const { uid } = await browser.begin();
    const cookies = [...browser.cookies.values()].map(({ value }) => value);
    const rows = await database.sql<{ line: string }[]>`
      select row::text as line from oidc_records as row
      union all select row::text from accounts as row
      union all select row::text from account_links as row
      union all select row::text from signing_keys as row`;
    const traces = rows.map(({ line }) => line).join("\n") + identity.logged();
    const secrets = [
      ada.password,
      ...[tokens, next].flatMap((one) => [
        one.access_token,
        one.refresh_token ?? "",
        one.id_token ?? "",
      ]),
      ...cookies,
      uid,
    ];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(10);
      expect(traces).not.toContain(secret);
    }
    expect(traces).toContain(ada.email);
    expect(traces).not.toMatch(/"d": ?"/);
  });
});
