import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type IdentityFixture,
  newCredentials,
  type Reply,
  startIdentityProvider,
  type TestBrowser,
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

/** Requests a sign-in with one change, as a person who has a session. */
async function askChanged(change: (query: URLSearchParams, url: string) => void): Promise<URL> {
  const browser = identity.browser();
  await browser.register(newCredentials());
  const { request } = await browser.begin({ prompt: "none" });
  const address = new URL(request.url);
  change(address.searchParams, identity.url);
  const reply = await browser.call("GET", address.href);
  expect(reply.status).toBe(303);
  expect(reply.text).toBe("");
  return new URL(reply.headers.get("location") ?? "", identity.url);
}

type AuthorizationCase = [
  why: string,
  change: (query: URLSearchParams, url: string) => void,
  error: string,
];

const set =
  (name: string, value: string | ((url: string) => string)): AuthorizationCase[1] =>
  (query, url) =>
    query.set(name, typeof value === "string" ? value : value(url));
const remove =
  (name: string): AuthorizationCase[1] =>
  (query) =>
    query.delete(name);

/** These answer with an error page, because the address to return to cannot be trusted. */
const UNTRUSTED: AuthorizationCase[] = [
  ["no client", remove("client_id"), "request_invalid"],
  ["a client that is unknown", set("client_id", "other"), "request_invalid"],
  ["no redirect address", remove("redirect_uri"), "request_invalid"],
  ["a slash at the end", set("redirect_uri", (url) => `${url}/login/`), "request_invalid"],
  ["a query", set("redirect_uri", (url) => `${url}/login?next=x`), "request_invalid"],
  ["a fragment", set("redirect_uri", (url) => `${url}/login#x`), "request_invalid"],
  ["another path", set("redirect_uri", (url) => `${url}/overview`), "request_invalid"],
  ["a path in capitals", set("redirect_uri", (url) => `${url}/LOGIN`), "request_invalid"],
  ["a path that climbs", set("redirect_uri", (url) => `${url}/x/../login`), "request_invalid"],
  ["another port", set("redirect_uri", "http://127.0.0.1:1/login"), "request_invalid"],
  ["another host", set("redirect_uri", "https://evil.test/login"), "request_invalid"],
  [
    "another scheme",
    set("redirect_uri", (url) => `${url.replace("http:", "https:")}/login`),
    "request_invalid",
  ],
  [
    "a user in front of the host",
    set("redirect_uri", (url) => `${url.replace("//", "//evil@")}/login`),
    "request_invalid",
  ],
  ["a script", set("redirect_uri", "javascript:alert(1)"), "request_invalid"],
  [
    "two redirect addresses",
    (query) => query.append("redirect_uri", "https://evil.test/"),
    "request_invalid",
  ],
  ["an answer by a form", set("response_mode", "form_post"), "request_invalid"],
];

/** These redirect to the console with the error and its state. */
const TOLD: AuthorizationCase[] = [
  ["no challenge", remove("code_challenge"), "invalid_request"],
  ["a plain challenge", set("code_challenge_method", "plain"), "invalid_request"],
  ["a challenge without a method", remove("code_challenge_method"), "invalid_request"],
  ["an unknown method", set("code_challenge_method", "S1"), "invalid_request"],
  ["a challenge that is too short", set("code_challenge", "abc"), "invalid_request"],
  ["no response type", remove("response_type"), "invalid_request"],
  ["the implicit flow", set("response_type", "id_token"), "invalid_request"],
  ["a token in the address", set("response_type", "token"), "invalid_request"],
  ["the hybrid flow", set("response_type", "code id_token"), "invalid_request"],
  ["no scope at all", remove("scope"), "invalid_request"],
  ["a request object", set("request", "e30.e30."), "request_not_supported"],
  ["a request by address", set("request_uri", "https://evil.test/"), "request_uri_not_supported"],
  ["a client that registers itself", set("registration", "{}"), "registration_not_supported"],
  ["a consent", set("prompt", "consent"), "invalid_request"],
  ["no question and a question", set("prompt", "none login"), "invalid_request"],
  ["an unknown question", set("prompt", "select_account"), "invalid_request"],
  ["two nonces", (query) => query.append("nonce", "x"), "invalid_request"],
];

describe("a request for a sign-in", () => {
  it.each(UNTRUSTED)("is refused without a redirect for %s", async (_why, change, error) => {
    const landed = await askChanged(change);
    expect(landed.href).toBe(`${identity.url}/login?error=${error}`);
  });

  it.each(TOLD)(
    "is refused for %s, with the reason to the console",
    async (_why, change, error) => {
      const landed = await askChanged(change);
      const answer = new URLSearchParams(landed.hash === "" ? landed.search : landed.hash.slice(1));
      expect(`${landed.origin}${landed.pathname}`).toBe(`${identity.url}/login`);
      expect(answer.get("error")).toBe(error);
      expect(answer.get("state")).not.toBeNull();
      expect(answer.get("iss")).toBe(`${identity.url}/idp`);
      expect(landed.href).not.toMatch(/[?&#](code|id_token|access_token)=/);
    },
  );

  it("is answered with login_required when no form may be shown and there is no session", async () => {
    const { uid } = await identity.browser().begin({ prompt: "none" });
    expect(uid).toContain("error=login_required");
  });

  it("derives issuer, endpoints and redirects from the public address, not from headers", async () => {
    const browser = identity.browser();
    const headers = {
      "x-forwarded-host": "evil.test",
      "x-forwarded-proto": "https",
      forwarded: "host=evil.test",
    };
    const metadata = await browser.call("GET", "/idp/.well-known/openid-configuration", {
      headers,
    });
    expect(metadata.json.issuer).toBe(`${identity.url}/idp`);
    expect(metadata.text).not.toContain("evil");
    const { request } = await browser.begin();
    const reply = await browser.call("GET", request.url.href, { headers });
    expect(reply.headers.get("location")).toMatch(/^\/idp\/interaction\//);
  });
});

type Code = { browser: TestBrowser; form: Record<string, string> };

async function takeCode(): Promise<Code> {
  const browser = identity.browser();
  await browser.register(newCredentials());
  const { request } = await browser.begin({ prompt: "none" });
  const landed = await browser.follow(request.url);
  return {
    browser,
    form: {
      grant_type: "authorization_code",
      client_id: "console",
      code: landed.searchParams.get("code") ?? "",
      redirect_uri: `${identity.url}/login`,
      code_verifier: request.verifier,
    },
  };
}

/** What the token endpoint answers to a code with one change. */
async function exchange(
  code: Code,
  change: Record<string, string | undefined> = {},
): Promise<Reply> {
  const form = Object.entries({ ...code.form, ...change }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return await code.browser.call("POST", "/idp/token", { form: Object.fromEntries(form) });
}

const EXCHANGES: [why: string, change: Record<string, string | undefined>, error: string][] = [
  ["another verifier", { code_verifier: "x".repeat(43) }, "invalid_grant"],
  ["no verifier", { code_verifier: undefined }, "invalid_grant"],
  ["a verifier that is too short", { code_verifier: "x" }, "invalid_request"],
  ["another redirect address", { redirect_uri: "https://evil.test/login" }, "invalid_grant"],
  ["no redirect address", { redirect_uri: undefined }, "invalid_request"],
  ["an unknown code", { code: "x".repeat(43) }, "invalid_grant"],
  ["no code", { code: undefined }, "invalid_request"],
  ["an unknown client", { client_id: "other" }, "invalid_client"],
  ["no client", { client_id: undefined }, "invalid_request"],
  ["the password grant", { grant_type: "password" }, "unsupported_grant_type"],
  ["the grant for programs", { grant_type: "client_credentials" }, "unsupported_grant_type"],
  ["no grant", { grant_type: undefined }, "invalid_request"],
  [
    "a refresh token that is none",
    { grant_type: "refresh_token", refresh_token: "x".repeat(43) },
    "invalid_grant",
  ],
];

describe("a code", () => {
  it.each(EXCHANGES)("gives no token with %s", async (_why, change, error) => {
    const reply = await exchange(await takeCode(), change);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
    expect(reply.json).toMatchObject({ error });
    expect(reply.text).not.toContain("access_token");
  });

  it("works once; a second use ends what the first one gave", async () => {
    const code = await takeCode();
    const first = await exchange(code);
    expect(first.status).toBe(200);
    expect((await exchange(code)).json.error).toBe("invalid_grant");
    const refreshed = await exchange(code, {
      grant_type: "refresh_token",
      refresh_token: first.json.refresh_token,
    });
    expect(refreshed.json.error).toBe("invalid_grant");
  });

  it("gives tokens to at most one of ten concurrent uses", async () => {
    const code = await takeCode();
    const replies = await Promise.all(Array.from({ length: 10 }, () => exchange(code)));
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  it("expires after a minute", async () => {
    const code = await takeCode();
    identity.advance(61_000);
    expect((await exchange(code)).json.error).toBe("invalid_grant");
  });

  it("is not a refresh token, and a refresh token is not a code", async () => {
    const code = await takeCode();
    const asRefresh = await exchange(code, {
      grant_type: "refresh_token",
      refresh_token: code.form["code"],
    });
    expect(asRefresh.json.error).toBe("invalid_grant");
    const { json } = await exchange(code);
    expect((await exchange(code, { code: json.refresh_token })).json.error).toBe("invalid_grant");
  });

  it("gives no more than was requested when it is refreshed", async () => {
    const code = await takeCode();
    const { json } = await exchange(code);
    const more = await exchange(code, {
      grant_type: "refresh_token",
      refresh_token: json.refresh_token,
      scope: "openid email profile offline_access",
    });
    expect(more.json.error).toBe("invalid_scope");
  });

  it("is refused by the client when state, nonce or issuer are not what it expects", async () => {
    const browser = identity.browser();
    await browser.register(newCredentials());
    const configuration = await identity.oidc();
    const { request } = await browser.begin({ prompt: "none" });
    const landed = await browser.follow(request.url);
    const expected = {
      pkceCodeVerifier: request.verifier,
      expectedState: request.state,
      expectedNonce: request.nonce,
    };
    const otherIssuer = new URL(landed);
    otherIssuer.searchParams.set("iss", "https://evil.test");
    const complaint = async (place: URL, changed: object): Promise<string> =>
      await openid.authorizationCodeGrant(configuration, place, { ...expected, ...changed }).then(
        () => "none",
        (error: unknown) =>
          error instanceof Error ? `${error.message} ${String(error.cause)}` : String(error),
      );
    expect(await complaint(otherIssuer, {})).toContain('"iss"');
    expect(await complaint(landed, { expectedState: "x" })).toContain('"state"');
    expect(await complaint(landed, { expectedNonce: "x" })).toContain('"nonce"');
  });
});

describe("an interaction", () => {
  it("belongs to the browser that started it", async () => {
    const ada = newCredentials();
    await identity.browser().register(ada);
    const victim = identity.browser();
    const { uid } = await victim.begin();
    const thief = identity.browser();
    const stolen = await thief.call("POST", `/idp/interaction/${uid}/login`, { json: ada });
    expect([stolen.status, stolen.json.code]).toEqual([410, "SIGN_IN_EXPIRED"]);
    expect((await thief.follow(`/idp/interaction/${uid}`)).search).toBe("?error=sign_in_expired");
    await victim.call("POST", `/idp/interaction/${uid}/login`, { json: ada });
    expect((await thief.follow(`/idp/auth/${uid}`)).search).toBe("?error=sign_in_expired");
    expect((await victim.follow(`/idp/auth/${uid}`)).searchParams.has("code")).toBe(true);
  });

  it("ends when it is finished, and after half an hour", async () => {
    const ada = newCredentials();
    await identity.browser().register(ada);
    const browser = identity.browser();
    const { uid } = await browser.begin();
    await browser.submit(uid, "login", ada);
    const again = await browser.call("POST", `/idp/interaction/${uid}/login`, { json: ada });
    expect(again.json.code).toBe("SIGN_IN_EXPIRED");

    const late = await browser.begin();
    identity.advance(31 * 60 * 1_000);
    const reply = await browser.call("POST", `/idp/interaction/${late.uid}/login`, { json: ada });
    expect(reply.json.code).toBe("SIGN_IN_EXPIRED");
  });

  it("leads to the registration if requested", async () => {
    const browser = identity.browser();
    const { request } = await browser.begin({ prompt: "create" });
    expect((await browser.follow(request.url)).pathname).toBe("/register");
  });
});

describe("calls of the sign-in pages", () => {
  const paths = ["/idp/password/forgot", "/idp/password/reset", "/idp/email/confirm"];

  it.each([
    ["no origin", { origin: "" }],
    ["another origin", { origin: "https://evil.test" }],
    ["a page without an origin", { origin: "null" }],
    ["an origin that only begins alike", { origin: "http://127.0.0.1:1" }],
    ["a fetch from another site", { "sec-fetch-site": "cross-site" }],
    ["a fetch from a neighbour", { "sec-fetch-site": "same-site" }],
  ])("are refused for %s", async (_why, headers) => {
    const browser = identity.browser();
    const { uid } = await browser.begin();
    const forms = ["login", "register"].map((form) => `/idp/interaction/${uid}/${form}`);
    for (const path of [...forms, ...paths]) {
      const reply = await browser.call("POST", path, { json: newCredentials(), headers });
      expect([path, reply.status, reply.json.code]).toEqual([path, 403, "CROSS_ORIGIN"]);
    }
  });

  it("of other sites get no token", async () => {
    const code = await takeCode();
    for (const path of ["/idp/token", "/idp/token/revocation"]) {
      const reply = await code.browser.call("POST", path, {
        form: code.form,
        headers: { origin: "https://evil.test" },
      });
      expect(reply.json.code).toBe("CROSS_ORIGIN");
    }
    expect((await exchange(code)).status).toBe(200);
  });

  it("of other sites start no sign-in except by a link, and do not count towards a network's limit", async () => {
    const browser = identity.browser();
    const { request } = await browser.begin();
    const open = async (headers: Record<string, string>) =>
      await browser.call("GET", request.url.href, { headers });
    const picture = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    for (let attempt = 0; attempt < 310; attempt += 1) {
      const reply = await open({ ...picture, "sec-fetch-dest": "image" });
      expect([reply.status, reply.json.code]).toEqual([403, "CROSS_ORIGIN"]);
    }
    expect((await open({ "sec-fetch-site": "same-site", "sec-fetch-dest": "iframe" })).status).toBe(
      403,
    );
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect((await open({ ...link, "sec-fetch-dest": "document" })).status).toBe(303);
    expect(
      (await open({ "sec-fetch-site": "same-origin", "sec-fetch-dest": "empty" })).status,
    ).toBe(303);
  });

  it("of other sites do not sign anyone out", async () => {
    const browser = identity.browser();
    await browser.register(newCredentials());
    const reply = await browser.call("POST", "/idp/session/end", {
      headers: { origin: "https://evil.test" },
    });
    expect(reply.headers.get("location")).toContain("sign_out_unconfirmed");
    expect((await browser.begin({ prompt: "none" })).uid).toContain("code=");
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonx",
    "multipart/form-data",
  ])("take no %s", async (type) => {
    for (const path of paths) {
      const headers = { "content-type": type };
      const reply = await identity.browser().call("POST", path, { json: {}, headers });
      expect([path, reply.status]).toEqual([path, 415]);
    }
  });

  it.each([
    ["an unknown name", { email: "a@example.test", admin: true }, 400],
    ["a list", [], 400],
    ["a text", "x", 400],
    ["nothing", null, 400],
    ["no address", {}, 400],
    ["an address that is invalid", { email: "nowhere" }, 400],
    ["two addresses", { email: "a@example.test,b@example.test" }, 400],
    ["a header in the address", { email: "a@example.test\r\nBcc: b@example.test" }, 400],
    ["an address that cannot be stored", { email: "a\0@example.test" }, 400],
    ["more than 16 kB", { email: "x".repeat(17_000) }, 413],
  ])("are refused for %s", async (_why, json, status) => {
    const reply = await identity.browser().call("POST", "/idp/password/forgot", { json });
    expect(reply.status).toBe(status);
    expect(reply.headers.get("content-type")).toContain("application/problem+json");
    expect(identity.mails).toHaveLength(0);
  });

  it("cannot inject a prototype", async () => {
    const reply = await identity.browser().call("POST", "/idp/password/forgot", {
      json: JSON.parse('{"email":"a@example.test","__proto__":{"polluted":true}}'),
    });
    expect(reply.status).toBe(400);
    expect("polluted" in {}).toBe(false);
  });

  it("have fixed methods and paths, and nothing else exists", async () => {
    const browser = identity.browser();
    const get = await browser.call("GET", "/idp/token");
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    for (const path of [
      "/idp",
      "/idp/",
      "/idp/reg",
      "/idp/request",
      "/idp/device",
      "/idp/session/end/confirm",
      "/idp/interaction/short",
      "/idp//auth",
    ]) {
      const reply = await browser.call("POST", path);
      expect([path, reply.status, reply.json?.code]).toEqual([path, 404, "RESOURCE_NOT_FOUND"]);
    }
  });
});
