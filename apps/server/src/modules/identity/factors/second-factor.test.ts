import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import * as openid from "openid-client";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type IdentityFixture,
  newCredentials,
  type Reply,
  startIdentityProvider,
  type TestBrowser,
} from "../testing/identity-provider.fixture.ts";
import { createAuthenticator } from "./authenticator.fixture.ts";

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

type Credentials = ReturnType<typeof newCredentials>;

const totpOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) });
const STEP_MS = 30_000;

/** Codes of an app; each call gives the code of a later step, as a code works once. */
function createApp(secret: string) {
  let step = 0;
  return {
    next(): string {
      const now = Math.floor(identity.services.clock.now().getTime() / STEP_MS);
      step = Math.max(step + 1, now);
      if (step > now + 1) {
        identity.advance((step - now) * STEP_MS);
      }
      return totpOf(secret).generate({ timestamp: step * STEP_MS });
    },
    at: (offsetSteps: number) =>
      totpOf(secret).generate({
        timestamp: identity.services.clock.now().getTime() + offsetSteps * STEP_MS,
      }),
  };
}

const post = (browser: TestBrowser, path: string, json: unknown) =>
  browser.call("POST", `/idp/${path}`, { json });

/** A person with an app for codes, in the browser in which they set it up. */
async function startWithTotp() {
  const ada = newCredentials();
  const browser = identity.browser();
  const before = await browser.register(ada);
  const begun = await post(browser, "factors/totp", { proof: { password: ada.password } });
  const { secret, recoveryCodes } = begun.json as { secret: string; recoveryCodes: string[] };
  const app = createApp(secret);
  const confirmed = await post(browser, "factors/totp/confirm", { code: app.next() });
  expect(confirmed.json).toMatchObject({ isFirst: true, factors: { recoveryCodesLeft: 10 } });
  return { ada, browser, before, secret, app, recoveryCodes };
}

async function givePassword(browser: TestBrowser, { email, password }: Credentials) {
  const { request, uid } = await browser.begin({ prompt: "login" });
  const reply = await post(browser, `interaction/${uid}/login`, { email, password });
  return { request, uid, reply };
}

async function collect(
  browser: TestBrowser,
  request: Awaited<ReturnType<TestBrowser["begin"]>>["request"],
  reply: Reply,
) {
  const landed = await browser.follow(String(reply.json.redirectTo));
  return await openid.authorizationCodeGrant(await identity.oidc(), landed, {
    pkceCodeVerifier: request.verifier,
    expectedState: request.state,
    expectedNonce: request.nonce,
  });
}

const refusalOfRefresh = async (token: string | undefined) =>
  await openid.refreshTokenGrant(await identity.oidc(), token ?? "").then(
    () => "accepted",
    (error: unknown) => (error instanceof openid.ResponseBodyError ? error.error : String(error)),
  );

async function errorOfSilentSignIn(browser: TestBrowser): Promise<string> {
  const { request } = await browser.begin({ prompt: "none" });
  const landed = await browser.follow(request.url);
  return landed.searchParams.get("error") ?? "signed in";
}

describe("a second factor", () => {
  it("is asked for after the password, and only then is there a session", async () => {
    const { ada, app, recoveryCodes } = await startWithTotp();
    const browser = identity.browser();
    const { request, uid, reply } = await givePassword(browser, ada);
    expect(reply.json).toEqual({ factors: ["totp", "recovery"] });
    // Neither the way back nor a request without a form gives a code now.
    expect((await browser.follow(`/idp/auth/${uid}`)).searchParams.get("code")).toBeNull();
    expect(await errorOfSilentSignIn(browser)).toBe("login_required");

    const again = await givePassword(browser, ada);
    const wrong = await post(browser, `interaction/${again.uid}/factor`, { code: app.at(-40) });
    expect(wrong.json).toMatchObject({ code: "FACTOR_REFUSED" });
    const right = await post(browser, `interaction/${again.uid}/factor`, { code: app.next() });
    const tokens = await collect(browser, again.request, right);
    expect(tokens.claims()?.["email"]).toBe(ada.email);
    expect(await errorOfSilentSignIn(browser)).toBe("signed in");
    expect(request.state).not.toBe(again.request.state);

    const other = identity.browser();
    const third = await givePassword(other, ada);
    const code = (recoveryCodes[0] ?? "").toUpperCase().replaceAll("-", " ");
    const recovered = await post(other, `interaction/${third.uid}/factor`, { code });
    await collect(other, third.request, recovered);
    const factors = await other.call("GET", "/idp/factors");
    expect(factors.json).toMatchObject({ recoveryCodesLeft: 9 });
    expect(identity.mails.at(-1)).toMatchObject({ to: ada.email, kind: "second-factor" });
  });

  it("takes each code once, and one step early or late", async () => {
    const { ada, browser, app, recoveryCodes } = await startWithTotp();
    const answers: string[] = [];
    const answer = async (code: string) => {
      const { uid } = await givePassword(browser, ada);
      const reply = await post(browser, `interaction/${uid}/factor`, { code });
      answers.push(reply.status === 200 ? "taken" : String(reply.json.code));
    };
    identity.advance(10 * STEP_MS);
    await identity.stopClock(async () => {
      await answer(app.at(-2));
      await answer(app.at(2));
      await answer(app.at(-1));
      await answer(app.at(-1));
      await answer(app.at(1));
      // Of a step before the last one that was taken.
      await answer(app.at(0));
      await answer(recoveryCodes[3] ?? "");
      await answer(recoveryCodes[3] ?? "");
    });
    expect(answers).toEqual([
      "FACTOR_REFUSED",
      "FACTOR_REFUSED",
      "taken",
      "FACTOR_REFUSED",
      "taken",
      "FACTOR_REFUSED",
      "taken",
      "FACTOR_REFUSED",
    ]);
  });

  it("takes one of two answers with the same code at the same moment", async () => {
    const { ada, app } = await startWithTotp();
    const code = app.next();
    const statuses = await Promise.all(
      [identity.browser(), identity.browser()].map(async (browser) => {
        const { uid } = await givePassword(browser, ada);
        return (await post(browser, `interaction/${uid}/factor`, { code })).status;
      }),
    );
    expect(statuses.toSorted()).toEqual([200, 403]);
  });

  it("ends every session and token from before, except in the browser that set it up", async () => {
    const ada = newCredentials();
    const stolen = identity.browser();
    await stolen.register(ada);
    const own = identity.browser();
    const before = await own.signIn(ada);
    // A sign-in that passed the password and is not collected yet.
    const slow = identity.browser();
    const begun = await slow.begin({ prompt: "login" });
    const passed = await post(slow, `interaction/${begun.uid}/login`, {
      email: ada.email,
      password: ada.password,
    });
    const oldCookies = new Map(own.cookies);
    const { secret } = (await post(own, "factors/totp", { proof: { password: ada.password } }))
      .json;
    const confirmed = await post(own, "factors/totp/confirm", { code: createApp(secret).next() });
    expect(confirmed.status).toBe(200);

    expect(await errorOfSilentSignIn(stolen)).toBe("login_required");
    expect(await refusalOfRefresh(before.tokens.refresh_token)).toBe("invalid_grant");
    const landed = await slow.follow(String(passed.json.redirectTo));
    expect(landed.searchParams.get("code")).toBeNull();
    expect(await errorOfSilentSignIn(own)).toBe("signed in");
    // A copy of the cookie from before is no session either.
    const copy = copyOf({ ...own, cookies: oldCookies }, identity);
    expect(await errorOfSilentSignIn(copy)).toBe("login_required");
  });

  it("survives a reset of the password by mail, which also ends a sign-in that waits for it", async () => {
    const { ada, app } = await startWithTotp();
    const thief = identity.browser();
    const waiting = await givePassword(thief, ada);
    const owner = identity.browser();
    await post(owner, "password/forgot", { email: ada.email });
    await identity.provider().settle();
    const link = /#reset=([\w-]+)/.exec(identity.mails.at(-1)?.text ?? "")?.[1];
    identity.advance(1_000);
    const password = "another violet harbour";
    expect((await post(owner, "password/reset", { token: link, password })).status).toBe(204);

    const late = await post(thief, `interaction/${waiting.uid}/factor`, { code: app.next() });
    expect(late.json).toMatchObject({ code: "SIGN_IN_EXPIRED" });
    const { reply } = await givePassword(owner, { ...ada, password });
    expect(reply.json).toEqual({ factors: ["totp", "recovery"] });
  });

  it("is bound to the browser that gave the password", async () => {
    const { ada, app } = await startWithTotp();
    const { uid } = await givePassword(identity.browser(), ada);
    const other = await post(identity.browser(), `interaction/${uid}/factor`, { code: app.next() });
    expect(other.json).toMatchObject({ code: "SIGN_IN_EXPIRED" });
    const browser = identity.browser();
    const started = await browser.begin({ prompt: "login" });
    const early = await post(browser, `interaction/${started.uid}/factor`, { code: app.next() });
    expect(early.json).toMatchObject({ code: "SIGN_IN_EXPIRED" });
    const setUp = await givePassword(browser, ada);
    const second = await post(browser, `interaction/${setUp.uid}/set-up/totp`, {});
    expect(second.json).toMatchObject({ code: "SIGN_IN_EXPIRED" });
  });

  it("is guessed at most twenty times in an hour from anywhere, while its owner's browser gets in", async () => {
    const { ada, browser, app } = await startWithTotp();
    await identity.stopClock(async () => {
      const codes: string[] = [];
      for (let index = 0; index < 24; index += 1) {
        // Each in a new browser and network: the password alone makes none of them known.
        const thief = identity.browser();
        const { uid } = await givePassword(thief, ada);
        const reply = await post(thief, `interaction/${uid}/factor`, { code: app.at(-50 - index) });
        codes.push(String(reply.json.code));
      }
      expect(codes.filter((code) => code === "FACTOR_REFUSED")).toHaveLength(20);
      expect(codes.at(-1)).toBe("TOO_MANY_ATTEMPTS");
      const { uid } = await givePassword(browser, ada);
      const own = await post(browser, `interaction/${uid}/factor`, { code: app.at(1) });
      expect(own.status).toBe(200);
    });
  });

  it("is changed only with a fresh proof, and removed with the codes when it is the last", async () => {
    const { ada, browser, app } = await startWithTotp();
    const refused = await post(browser, "factors/totp/remove", {
      proof: { password: "wrong one" },
    });
    expect(refused.json).toMatchObject({ code: "FACTOR_REFUSED" });
    const stranger = await post(identity.browser(), "factors/totp/remove", {
      proof: { password: ada.password },
    });
    expect(stranger.json).toMatchObject({ code: "SIGN_IN_EXPIRED" });
    const renewed = await post(browser, "factors/recovery-codes", { proof: { code: app.next() } });
    expect(renewed.json.recoveryCodes).toHaveLength(10);
    const removed = await post(browser, "factors/totp/remove", {
      proof: { code: renewed.json.recoveryCodes[0] },
    });
    expect(removed.json).toMatchObject({ totp: null, recoveryCodesLeft: 0 });
    expect((await identity.browser().signIn(ada)).claims["email"]).toBe(ada.email);
    const kinds = identity.mails.filter(({ to }) => to === ada.email).map(({ subject }) => subject);
    expect(kinds.at(-1)).toContain("removed");
  });

  it("has its secret and codes in the database only encrypted or as hashes", async () => {
    const { secret, recoveryCodes } = await startWithTotp();
    const rows = await database.sql`
      select to_jsonb(t) as row from account_totps t
      union all select to_jsonb(c) from account_recovery_codes c`;
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain((recoveryCodes[0] ?? "").slice(0, 9));
    expect(identity.logged()).not.toContain(secret);
  });
});

describe("a passkey", () => {
  async function startWithPasskey() {
    const ada = newCredentials();
    const browser = identity.browser();
    await browser.register(ada);
    const authenticator = createAuthenticator(identity.url);
    const begun = await post(browser, "factors/passkeys", { proof: { password: ada.password } });
    const answer = authenticator.create(begun.json.options);
    const confirmed = await post(browser, "factors/passkeys/confirm", { name: "Laptop", answer });
    expect(confirmed.json).toMatchObject({ factors: { passkeys: [{ name: "Laptop" }] } });
    return { ada, browser, authenticator, begun };
  }

  async function ask(browser: TestBrowser) {
    const { request, uid } = await browser.begin({ prompt: "login" });
    const { options } = (await post(browser, `interaction/${uid}/passkey/options`, {})).json;
    return { request, uid, options };
  }

  it("signs its person in without an address or a password, each challenge once", async () => {
    const { ada, authenticator, begun } = await startWithPasskey();
    expect(begun.json.options).toMatchObject({
      rp: { id: "127.0.0.1" },
      attestation: "none",
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const browser = identity.browser();
    const { request, uid, options } = await ask(browser);
    expect(options.allowCredentials).toEqual([]);
    const answer = authenticator.get(options);
    const reply = await post(browser, `interaction/${uid}/passkey`, { answer });
    const tokens = await collect(browser, request, reply);
    expect(tokens.claims()?.["email"]).toBe(ada.email);
    expect(await errorOfSilentSignIn(browser)).toBe("signed in");

    const next = await ask(browser);
    const replayed = await post(browser, `interaction/${next.uid}/passkey`, { answer });
    expect(replayed.json).toMatchObject({ code: "FACTOR_REFUSED" });
    const spent = await post(browser, `interaction/${next.uid}/passkey`, {
      answer: authenticator.get(next.options),
    });
    expect(spent.json).toMatchObject({ code: "SIGN_IN_EXPIRED" });
  });

  it("is a second factor too, but only of the account whose password was right", async () => {
    const { ada, authenticator } = await startWithPasskey();
    const eve = await startWithPasskey();
    const browser = identity.browser();
    const step = await givePassword(browser, ada);
    expect(step.reply.json).toEqual({ factors: ["passkey", "recovery"] });
    const answerWith = async (own: typeof authenticator) => {
      const asked = await post(browser, `interaction/${step.uid}/passkey/options`, {});
      expect(asked.json.options.allowCredentials).toHaveLength(1);
      const answer = own.get(asked.json.options);
      return await post(browser, `interaction/${step.uid}/passkey`, { answer });
    };
    expect((await answerWith(eve.authenticator)).json).toMatchObject({ code: "FACTOR_REFUSED" });
    const tokens = await collect(browser, step.request, await answerWith(authenticator));
    expect(tokens.claims()?.["email"]).toBe(ada.email);
  });

  it.each([
    ["of another site", { origin: "https://phish.test" }],
    ["that verified no one", { verifiesPerson: false }],
    ["whose count ran backwards", { counter: 0 }],
  ])("%s is refused", async (_name, change) => {
    const { authenticator } = await startWithPasskey();
    const browser = identity.browser();
    Object.assign(authenticator, change);
    const { uid, options } = await ask(browser);
    const answer = authenticator.get(options);
    const reply = await post(browser, `interaction/${uid}/passkey`, { answer });
    expect(reply.json).toMatchObject({ code: "FACTOR_REFUSED" });
  });

  it("must answer within five minutes", async () => {
    const { authenticator } = await startWithPasskey();
    const browser = identity.browser();
    const { uid, options } = await ask(browser);
    identity.advance(5 * 60_000);
    const answer = authenticator.get(options);
    const reply = await post(browser, `interaction/${uid}/passkey`, { answer });
    expect(reply.json).toMatchObject({ code: "SIGN_IN_EXPIRED" });
  });

  it("proves its person before it is removed", async () => {
    const { browser, authenticator } = await startWithPasskey();
    const factors = await browser.call("GET", "/idp/factors");
    const { passkeyId } = factors.json.passkeys[0];
    const asked = await post(browser, "factors/proof", {});
    const proof = { passkey: authenticator.get(asked.json.options) };
    const removed = await post(browser, "factors/passkeys/remove", { proof, passkeyId });
    expect(removed.json).toMatchObject({ passkeys: [], recoveryCodesLeft: 0 });
  });
});

/** A browser with the same cookies, at another instance of the same installation. */
function copyOf(browser: TestBrowser, at: IdentityFixture): TestBrowser {
  const copy = at.browser();
  for (const [name, cookie] of browser.cookies) {
    copy.cookies.set(name, cookie);
  }
  return copy;
}

describe("an installation that requires a second factor", () => {
  it("leads people without one to set it up after the password, and refuses sessions from before", async () => {
    const ada = newCredentials();
    const browser = identity.browser();
    const before = await browser.register(ada);
    const strict = await startIdentityProvider(database, { secondFactor: "everyone" });
    strict.advance(identity.services.clock.now().getTime() - Date.now());
    try {
      expect(await errorOfSilentSignIn(copyOf(browser, strict))).toBe("login_required");
      const visitor = strict.browser();
      const { request, uid } = await visitor.begin({ prompt: "login" });
      const reply = await post(visitor, `interaction/${uid}/login`, {
        email: ada.email,
        password: ada.password,
      });
      expect(reply.json).toEqual({ setUp: true });
      expect((await visitor.call("GET", "/idp/factors")).json).toMatchObject({
        code: "SIGN_IN_EXPIRED",
      });
      const { secret } = (await post(visitor, `interaction/${uid}/set-up/totp`, {})).json;
      const timestamp = strict.services.clock.now().getTime();
      const code = totpOf(secret).generate({ timestamp });
      const done = await post(visitor, `interaction/${uid}/set-up/totp/confirm`, { code });
      const landed = await visitor.follow(String(done.json.redirectTo));
      const tokens = await openid.authorizationCodeGrant(await strict.oidc(), landed, {
        pkceCodeVerifier: request.verifier,
        expectedState: request.state,
        expectedNonce: request.nonce,
      });
      expect(tokens.claims()?.sub).toBe(before.claims.sub);
      // The last one stays.
      const last = await post(visitor, "factors/totp/remove", {
        proof: { password: ada.password },
      });
      expect(last.json).toMatchObject({ code: "CONFLICT" });
    } finally {
      await strict.close();
    }
  });

  it("asks those of its operators who are so by the configuration or in the table", async () => {
    const eve = newCredentials();
    const ada = newCredentials();
    const bob = newCredentials();
    const eves = identity.browser();
    const bobs = identity.browser();
    await eves.register(eve);
    await identity.browser().register(ada);
    const { claims } = await bobs.register(bob);
    await database.sql`update accounts set email_verified = true where email in (${ada.email}, ${eve.email})`;
    await database.sql`
      insert into users (user_id, issuer, subject, email, is_operator, created_at, updated_at)
      values (${identity.services.newId("user")}, 'builtin', ${claims.sub}, ${bob.email}, true, now(), now())`;
    const strict = await startIdentityProvider(database, {
      secondFactor: "operators",
      operators: [ada.email.toUpperCase()],
    });
    strict.advance(identity.services.clock.now().getTime() - Date.now());
    try {
      expect(await errorOfSilentSignIn(copyOf(eves, strict))).toBe("signed in");
      expect(await errorOfSilentSignIn(copyOf(bobs, strict))).toBe("login_required");
      const needs = async ({ email, password }: Credentials) => {
        const browser = strict.browser();
        const { uid } = await browser.begin({ prompt: "login" });
        const reply = await post(browser, `interaction/${uid}/login`, { email, password });
        return reply.json.setUp === true;
      };
      expect([await needs(eve), await needs(ada), await needs(bob)]).toEqual([false, true, true]);
    } finally {
      await strict.close();
    }
  });
});
