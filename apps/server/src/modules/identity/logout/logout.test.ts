import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { createTestIssuer, type TestIssuer } from "@turnpike/testkit/id-tokens";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { createLiveServices } from "@turnpike/testkit/test-services";
import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { Provider } from "oidc-provider";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiFixture, serveModule } from "#http/api-server.fixture.ts";
import type { AppServices } from "#platform/app-services.ts";
import { createOutbound } from "#platform/outbound.ts";
import { createAttemptLimits } from "../attempts/attempt-limits.ts";
import { insertLinkedIdentity } from "../identities/identities.store.ts";
import { createIssuerKeys } from "../tokens/issuer-keys.ts";
import { createPublishedKeys } from "../tokens/published-keys.ts";
import { createTokenVerifier } from "../tokens/verify-id-token.ts";
import { LOGOUT_EVENT } from "../tokens/verify-logout-token.ts";
import { ensureUser } from "../users/ensure-user.ts";
import { createUserDirectory, type UserDirectory } from "../users/user-directory.ts";
import { createLogoutRoutes } from "./logout.routes.ts";

const CLIENT = "turnpike";
const CALLBACK = "http://console.test/login";

let database: TestDatabase;
let services: AppServices;
/** A provider whose tokens the test signs itself. */
let ours: TestIssuer;
/** A real one. */
let foreign: { issuer: string; server: Server };
let served: ApiFixture;
/** Two nodes. */
let nodes: UserDirectory[];
let heard = 0n;

function createForeign(issuer: string, logoutUri: string): Provider {
  const shared = {
    token_endpoint_auth_method: "none",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  } as const;
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT,
        ...shared,
        backchannel_logout_uri: logoutUri,
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    conformIdTokenClaims: false,
    cookies: { keys: ["only for this test"] },
    features: { backchannelLogout: { enabled: true } },
    // The library's own refuses to call this machine.
    fetch: (url, { method = "GET", headers = {}, body = null } = {}) =>
      fetch(url, { method, headers, body }),
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@corp.example`, email_verified: true }),
    }),
  });
}

beforeAll(async () => {
  database = await createTestDatabase();
  services = createLiveServices(database);
  const { now } = services.clock;
  ours = await createTestIssuer({ issuer: "https://id.test", clientId: CLIENT, now });
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  foreign = { issuer, server };
  const keys = {
    ours: createPublishedKeys(ours.publicKeys),
    foreign: createIssuerKeys({ ...services, outbound: createOutbound() }, { issuer }),
  };
  served = await serveModule({
    router: {},
    actors: {},
    rawRoutes: createLogoutRoutes({
      ...services,
      attempts: createAttemptLimits(createFakeClock()),
      providers: [
        { id: "ours", issuer: ours.issuer, clientId: CLIENT, findKey: keys.ours },
        { id: "foreign", issuer, clientId: CLIENT, findKey: keys.foreign },
      ],
    }),
  });
  const answer = createForeign(issuer, `${served.url}/auth/providers/foreign/logout`).callback();
  server.on("request", (req, res) => {
    answer(req, res).catch(() => res.destroy());
  });
  nodes = [1, 2].map(() =>
    createUserDirectory({
      ...services,
      verifyToken: createTokenVerifier({
        clock: services.clock,
        issuers: [
          { issuer: ours.issuer, storedAs: ours.issuer, clientId: CLIENT, findKey: keys.ours },
          { issuer, storedAs: issuer, clientId: CLIENT, findKey: keys.foreign },
        ],
      }),
      roles: {
        listRoles: () => Promise.resolve(new Map()),
        listActing: () => Promise.resolve(new Map()),
      },
      operators: [],
    }),
  );
});
afterAll(async () => {
  await served.close();
  foreign.server.closeAllConnections();
  foreign.server.close();
  await database.close();
});

/** What the change feed brings to both nodes, and nothing else: who is not named stays in their memory. */
async function hearChanges(): Promise<void> {
  const rows = await database.sql<{ revision: string; entity_id: string }[]>`
    select revision::text, entity_id from changes where kind = 'user' and revision > ${String(heard)} order by revision`;
  for (const row of rows) {
    heard = BigInt(row.revision);
    for (const node of nodes) {
      node.applyChange({
        kind: "user",
        tenantId: null,
        entityId: row.entity_id,
        revision: heard,
      });
    }
  }
}

/** What both nodes say of a token: the id of its person, or the code of the refusal. */
async function verdictsOn(token: string): Promise<(string | undefined)[]> {
  await hearChanges();
  return await Promise.all(
    nodes.map((node) =>
      node.identify(token).then(
        ({ actor }) => actor.id,
        (error: unknown) => (error as { code?: string }).code,
      ),
    ),
  );
}

const SIGNED_OUT = ["SIGNED_OUT", "SIGNED_OUT"];

let made = 0;

/** A logout token that is as it should be. Undefined takes a claim away. */
function logoutClaims(changes: Record<string, unknown> = {}): JWTPayload {
  made += 1;
  const seconds = Math.floor(services.clock.now().getTime() / 1_000);
  const claims = {
    iss: ours.issuer,
    aud: CLIENT,
    iat: seconds,
    exp: seconds + 120,
    jti: `token-${String(made)}`,
    events: { [LOGOUT_EVENT]: {} },
    ...changes,
  };
  return JSON.parse(JSON.stringify(claims)) as JWTPayload;
}

function send(token: string, { id = "ours", headers = {} } = {}): Promise<Response> {
  return fetch(`${served.url}/auth/providers/${id}/logout`, {
    method: "POST",
    headers,
    body: new URLSearchParams({ logout_token: token }),
  });
}

const signOut = async (changes: Record<string, unknown>, typ = "logout+jwt") =>
  await send(await ours.sign(logoutClaims(changes), { typ }));

/** A token of a new person, known to both nodes; issued a moment ago, as a real one. */
async function enter(claims: JWTPayload = {}, subject = `person-of-${String(++made)}`) {
  const token = await ours.mintIdToken({ subject, issuedAgoMs: 5_000, claims });
  const [userId] = await verdictsOn(token);
  expect(userId).toMatch(/^usr_/);
  return { subject, token, userId: userId ?? "" };
}

/** A browser at the provider, which keeps cookies and fills in its forms. */
function createBrowser() {
  const jar = new Map<string, string>();
  async function visit(address: string, form?: Record<string, string>): Promise<Response> {
    let response: Response;
    let place = address;
    let body = form;
    do {
      response = await fetch(place, {
        redirect: "manual",
        headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
        ...(body === undefined ? {} : { method: "POST", body: new URLSearchParams(body) }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        jar.set(name, value);
      }
      body = undefined;
      place = new URL(response.headers.get("location") ?? "", place).href;
    } while (response.headers.has("location") && !place.startsWith(CALLBACK));
    return response;
  }
  const actionIn = (html: string) => /action="([^"]+)"/.exec(html)?.[1] ?? "";
  return {
    /** @returns The ID token. */
    async signIn(login: string): Promise<string> {
      const verifier = "v".repeat(43);
      const challenge = Buffer.from(
        await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)),
      ).toString("base64url");
      const query = new URLSearchParams({
        client_id: CLIENT,
        redirect_uri: CALLBACK,
        response_type: "code",
        scope: "openid email",
        code_challenge: challenge,
        code_challenge_method: "S256",
      });
      const form = await visit(`${foreign.issuer}/auth?${query.toString()}`);
      const consent = await visit(actionIn(await form.text()), {
        prompt: "login",
        login,
        password: "any",
      });
      const back = await visit(actionIn(await consent.text()), { prompt: "consent" });
      const code = new URL(back.headers.get("location") ?? "").searchParams.get("code") ?? "";
      const answer = await fetch(`${foreign.issuer}/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "authorization_code",
          client_id: CLIENT,
          redirect_uri: CALLBACK,
          code,
          code_verifier: verifier,
        }),
      });
      return ((await answer.json()) as { id_token: string }).id_token;
    },
    /** Signs out at the provider, which tells its clients before it answers. */
    async signOut(): Promise<void> {
      const html = await (await visit(`${foreign.issuer}/session/end`)).text();
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? "";
      await visit(actionIn(html), { xsrf, logout: "yes" });
    },
  };
}

describe("a person who signs out at oidc-provider", () => {
  it("is signed out on every node, in the browser of that session alone, and may come back", async () => {
    const [desk, phone] = [createBrowser(), createBrowser()];
    const [atDesk, onPhone] = [await desk.signIn("ada"), await phone.signIn("ada")];
    const [userId] = await verdictsOn(atDesk);
    expect(await verdictsOn(onPhone)).toEqual([userId, userId]);
    await desk.signOut();
    expect(await verdictsOn(atDesk)).toEqual(SIGNED_OUT);
    expect(await verdictsOn(onPhone)).toEqual([userId, userId]);
    expect(await verdictsOn(await desk.signIn("ada"))).toEqual([userId, userId]);
  });
});

describe("a logout token", () => {
  it("of a session ends it and no other, whether it names the person or not", async () => {
    const { subject, token: one, userId } = await enter({ sid: "s-1" });
    const { token: two } = await enter({ sid: "s-2" }, subject);
    const { token: three } = await enter({ sid: "s-3" }, subject);
    expect((await signOut({ sid: "s-1" })).status).toBe(200);
    expect((await signOut({ sub: subject, sid: "s-2" })).status).toBe(200);
    expect(await verdictsOn(one)).toEqual(SIGNED_OUT);
    expect(await verdictsOn(two)).toEqual(SIGNED_OUT);
    expect(await verdictsOn(three)).toEqual([userId, userId]);
  });

  it("of a person ends every session there, once and for tokens of before, and no command line", async () => {
    const { subject, token, userId } = await enter();
    const { token: other } = await enter({ sid: "s-4" }, subject);
    expect((await signOut({ sub: subject })).status).toBe(200);
    expect(await verdictsOn(token)).toEqual(SIGNED_OUT);
    expect(await verdictsOn(other)).toEqual(SIGNED_OUT);
    const later = await ours.mintIdToken({ subject, issuedAgoMs: -2_000 });
    expect(await verdictsOn(later)).toEqual([userId, userId]);
    const [row] = await database.sql`
      select tokens_valid_from from users where user_id = ${userId}`;
    expect(row).toEqual({ tokens_valid_from: null });
    const trail = await database.sql`
      select actor_type, details from audit_entries where entity_id = ${userId} and action = 'sign_in.ended_by_provider'`;
    expect(trail).toEqual([
      { actor_type: "system", details: { issuer: ours.issuer, sessions: "all" } },
    ]);
  });

  it("ends sign-ins by a connected provider, and not those by the first one", async () => {
    const { token: first, userId } = await enter();
    const subject = `connected-${userId}`;
    const now = services.clock.now();
    const { userId: holder } = await ensureUser(
      services,
      { actor: { type: "operator", id: "cli" }, requestId: "req_test" },
      {
        issuer: "https://elsewhere.test",
        subject: `of-${userId}`,
        email: "first@corp.example",
        name: "First",
      },
    );
    await services.transact.asOperator((tx) =>
      insertLinkedIdentity(tx, {
        issuer: ours.issuer,
        subject,
        user_id: holder,
        email: null,
        email_verified: false,
        name: null,
        claims_issued_at: new Date(0),
        connected_at: now,
        tokens_valid_from: null,
      }),
    );
    const { token, userId: connected } = await enter({}, subject);
    expect(connected).toBe(holder);
    expect((await signOut({ sub: subject })).status).toBe(200);
    expect(await verdictsOn(token)).toEqual(SIGNED_OUT);
    expect(await verdictsOn(first)).toEqual([userId, userId]);
  });

  it("ends a session of which no token has come yet", async () => {
    expect((await signOut({ sid: "early" })).status).toBe(200);
    const token = await ours.mintIdToken({ subject: "early", claims: { sid: "early" } });
    expect(await verdictsOn(token)).toEqual(SIGNED_OUT);
  });

  it("ends what is known of the person where ID tokens name no session", async () => {
    const { subject, token } = await enter();
    expect((await signOut({ sub: subject, sid: "unseen" })).status).toBe(200);
    expect(await verdictsOn(token)).toEqual(SIGNED_OUT);
  });

  it("works once, and is neither an ID token nor worth anything at another provider", async () => {
    const { subject } = await enter();
    const token = await ours.sign(logoutClaims({ sub: subject }));
    expect((await send(token)).status).toBe(200);
    const again = await send(token);
    expect([again.status, await again.json()]).toEqual([
      400,
      { error: "invalid_request", error_description: "The token was used before." },
    ]);
    const [node] = nodes;
    expect(await refusalOf(node?.identify(token) ?? Promise.resolve())).toMatchObject({
      code: "UNAUTHENTICATED",
    });
    expect(
      (await send(await ours.sign(logoutClaims({ sub: subject })), { id: "foreign" })).status,
    ).toBe(400);
    expect((await send(token, { id: "unknown" })).status).toBe(404);
  });

  it("that is not as it must be ends nothing", async () => {
    const { subject, token, userId } = await enter({ sid: "kept" });
    const good = { sub: subject, sid: "kept" };
    const seconds = Math.floor(services.clock.now().getTime() / 1_000);
    const sign = (changes: object, header: object = {}) =>
      ours.sign(logoutClaims({ ...good, ...changes }), { typ: "logout+jwt", ...header });
    const stranger = await generateKeyPair("ES256");
    const secret = new TextEncoder().encode(JSON.stringify(ours.publicKeys()[0]));
    const hostile: Record<string, string | Promise<string>> = {
      "no token": "",
      "no JWT": "a.b.c",
      "alg none": new UnsecuredJWT(logoutClaims(good)).encode(),
      "signed by another key": new SignJWT(logoutClaims(good))
        .setProtectedHeader({ alg: "ES256", kid: "test-key" })
        .sign(stranger.privateKey),
      "signed by the public key as a secret": new SignJWT(logoutClaims(good))
        .setProtectedHeader({ alg: "HS256", kid: "test-key" })
        .sign(secret),
      "signed by an unknown key": sign({}, { kid: "another" }),
      "with its own key": sign({}, { kid: "another", jwk: ours.publicKeys()[0] }),
      "a changed payload": sign({}).then((text) => {
        const [head, , signature] = text.split(".");
        const payload = Buffer.from(JSON.stringify(logoutClaims(good))).toString("base64url");
        return [head, payload, signature].join(".");
      }),
      "of another issuer": sign({ iss: "https://id.test/" }),
      "of no issuer": sign({ iss: undefined }),
      "for another client": sign({ aud: "another" }),
      "for no client": sign({ aud: undefined }),
      "without a time": sign({ iat: undefined }),
      "of the future": sign({ iat: seconds + 300, exp: seconds + 600 }),
      "of yesterday": sign({ iat: seconds - 86_400 }),
      expired: sign({ exp: seconds - 61 }),
      "without an end": sign({ exp: undefined }),
      "without an id": sign({ jti: undefined }),
      "with a number as its id": sign({ jti: 7 }),
      "without events": sign({ events: undefined }),
      "with another event": sign({ events: { "https://example.com/event": {} } }),
      "with an event that is no object": sign({ events: { [LOGOUT_EVENT]: true } }),
      "with events as a list": sign({ events: [LOGOUT_EVENT] }),
      "with events as a text": sign({ events: LOGOUT_EVENT }),
      "with a nonce": sign({ nonce: "n" }),
      "about no one": sign({ sub: undefined, sid: undefined }),
      "about an empty name": sign({ sub: "", sid: undefined }),
      "about a number": sign({ sub: 7 }),
      "about a list": sign({ sid: ["kept"] }),
      "with a name that cannot be stored": sign({ sub: "a\u0000b" }),
      "with an endless name": sign({ sid: "s".repeat(256) }),
      "an ID token": ours.mintIdToken({ subject, claims: { sid: "kept" } }),
      "of another type": sign({}, { typ: "at+jwt" }),
    };
    const accepted: string[] = [];
    for (const [name, text] of Object.entries(hostile)) {
      const answer = await send(await text);
      const body = (await answer.json()) as Record<string, unknown>;
      const isClear =
        body["error"] === "invalid_request" && typeof body["error_description"] === "string";
      if (answer.status !== 400 || !isClear || answer.headers.get("cache-control") !== "no-store") {
        accepted.push(`${name}: ${String(answer.status)}`);
      }
    }
    expect(accepted).toEqual([]);
    const asJson = await send(await sign({}), { headers: { "content-type": "application/json" } });
    expect(asJson.status).toBe(400);
    expect(await verdictsOn(token)).toEqual([userId, userId]);
    // The same token is one when nothing is wrong with it.
    expect((await send(await sign({}))).status).toBe(200);
    expect(await verdictsOn(token)).toEqual(SIGNED_OUT);
  });

  it("is not looked at after too many refusals, which good ones do not count towards", async () => {
    const statuses = new Set<number>();
    for (let count = 0; count < 400 && !statuses.has(429); count += 1) {
      statuses.add((await send("a.b.c")).status);
    }
    expect([...statuses]).toEqual([400, 429]);
  });
});
