import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type IdentityFixture,
  newCredentials,
  type Reply,
  type SignIn,
  startIdentityProvider,
  type TestBrowser,
} from "../testing/identity-provider.fixture.ts";
import { getOwner } from "./own-account.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0";
const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";

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

/** A browser with what its console holds. */
type Seat = { browser: TestBrowser; tokens: SignIn["tokens"] };

async function signIn(
  input: { email: string; password: string },
  options: { userAgent?: string; isNew?: boolean } = {},
): Promise<Seat> {
  const browser = identity.browser(undefined, options.userAgent);
  const { tokens } =
    options.isNew === true ? await browser.register(input) : await browser.signIn(input);
  return { browser, tokens };
}

const idTokenOf = ({ tokens }: Seat) => tokens.id_token ?? "";

/** Renews the tokens of a seat. @returns The word of the refusal, or `renewed`. */
async function renew(seat: Seat): Promise<string> {
  try {
    seat.tokens = await openid.refreshTokenGrant(
      await identity.oidc(),
      seat.tokens.refresh_token ?? "",
    );
    return "renewed";
  } catch (error) {
    return error instanceof openid.ResponseBodyError ? error.error : `failed: ${String(error)}`;
  }
}

/** What a seat gets from the session of its browser, without a form. */
async function askSession({ browser }: Seat): Promise<string> {
  const { request } = await browser.begin({ prompt: "none" });
  const landed = await browser.follow(request.url);
  if (landed.searchParams.get("code") === null) {
    return landed.searchParams.get("error") ?? landed.href;
  }
  const tokens = await openid
    .authorizationCodeGrant(await identity.oidc(), landed, {
      pkceCodeVerifier: request.verifier,
      expectedState: request.state,
      expectedNonce: request.nonce,
      idTokenExpected: true,
    })
    .catch((error: unknown) => error);
  return tokens instanceof openid.ResponseBodyError ? tokens.error : "signed_in";
}

/** To the second: whether ID tokens from before are refused from now on, as `user-directory.sql.test.ts` shows. */
async function areOldTokensEnded({ tokens }: Seat): Promise<boolean> {
  const [user] = await database.sql<{ tokens_valid_from: Date | null }[]>`
    select tokens_valid_from from users where subject = ${tokens.claims()?.sub ?? ""}`;
  return (user?.tokens_valid_from?.getTime() ?? 0) >= (tokens.claims()?.iat ?? 0) * 1_000;
}

const account = (seat: Seat, method: string, path = "", body?: object): Promise<Reply> =>
  identity.api(idTokenOf(seat), method, `/v1/me/account${path}`, body);
const signIns = (seat: Seat) => identity.api(idTokenOf(seat), "GET", "/v1/me/sign-ins");

function tokenIn(kind: string, to: string): string {
  const mail = identity.mails.findLast((one) => one.kind === kind && one.to === to);
  const token = /#[a-z-]+=([\w-]{43})/.exec(mail?.text ?? "")?.[1];
  if (token === undefined) {
    throw new Error(`No mail of kind ${kind} with a link went to ${to}.`);
  }
  return token;
}

/** Follows the link of a change of address, as the console does. */
const move = (to: "change" | "undo", token: string) =>
  identity.browser().call("POST", `/idp/email/${to}`, { json: { token } });

describe("sign-ins", () => {
  it("lists the browsers of the person alone, and ends one with its session and tokens", async () => {
    const ada = newCredentials();
    const first = await signIn(ada, { isNew: true, userAgent: FIREFOX });
    const second = await signIn(ada, { userAgent: SAFARI });
    const stranger = await signIn(newCredentials(), { isNew: true });

    const { items } = (await signIns(first)).json;
    expect(
      items.map((one: Record<string, unknown>) => [one["browser"], one["system"], one["isThis"]]),
    ).toEqual([
      ["Safari", "iPhone", false],
      ["Firefox", "Linux", true],
    ]);
    const body = { signInId: items[0].signInId };
    const byStranger = await identity.api(idTokenOf(stranger), "POST", "/v1/me/sign-ins/end", body);
    expect(byStranger.status).toBe(404);

    const ended = await identity.api(idTokenOf(first), "POST", "/v1/me/sign-ins/end", body);
    expect(ended).toMatchObject({ status: 200, json: { signInId: body.signInId, isThis: false } });
    expect(await renew(second)).toBe("invalid_grant");
    expect(await askSession(second)).toBe("login_required");
    expect(await renew(first)).toBe("renewed");
    expect((await signIns(first)).json.items).toHaveLength(1);
    expect((await signIns(stranger)).json.items).toHaveLength(1);
  });

  it("forgets a sign-in that was signed out or expired, and keeps one that goes on", async () => {
    const ada = newCredentials();
    const kept = await signIn(ada, { isNew: true });
    const left = await signIn(ada);
    await left.browser.call("POST", "/idp/session/end", { form: {} });
    expect((await signIns(kept)).json.items).toHaveLength(1);
    // The same browser with a new password prompt is still one sign-in.
    const { tokens } = await kept.browser.signIn(ada);
    kept.tokens = tokens;
    expect((await signIns(kept)).json.items).toHaveLength(1);
  });

  it("signs out everywhere, here too or not, with agents, and ID tokens within a second", async () => {
    const ada = newCredentials();
    const [here, there] = [await signIn(ada, { isNew: true }), await signIn(ada)];
    const end = (keepThis: boolean) =>
      identity.api(idTokenOf(here), "POST", "/v1/me/sign-ins/end-all", { keepThis });
    const endedBefore = identity.agentsEndedOf.length;
    expect((await end(true)).status).toBe(204);
    expect(identity.agentsEndedOf).toHaveLength(endedBefore + 1);
    expect(await areOldTokensEnded(here)).toBe(true);
    expect(await renew(there)).toBe("invalid_grant");
    expect(await renew(here)).toBe("renewed");
    expect((await account(here, "GET")).status).toBe(200);

    expect((await end(false)).status).toBe(204);
    expect(await renew(here)).toBe("invalid_grant");
    expect(await askSession(here)).toBe("login_required");
  });
});

describe("name and password", () => {
  it("changes the name at once, also for tokens from before, and refuses one that lies", async () => {
    const seat = await signIn(newCredentials(), { isNew: true });
    expect((await account(seat, "POST", "/name", { name: "Ada Lovelace" })).json).toMatchObject({
      kind: "builtin",
      issuer: null,
      name: "Ada Lovelace",
      pendingEmail: null,
    });
    expect((await account(seat, "GET")).json.name).toBe("Ada Lovelace");
    const [user] = await database.sql`select name from users where name = 'Ada Lovelace'`;
    expect(user).toBeDefined();
    expect((await account(seat, "POST", "/name", { name: "https://evil.test" })).status).toBe(400);
    expect(await renew(seat)).toBe("renewed");
    expect(seat.tokens.claims()?.["name"]).toBe("Ada Lovelace");
  });

  it("takes the old password for a new one, keeps this sign-in and ends the others", async () => {
    const ada = newCredentials();
    const [here, there] = [await signIn(ada, { isNew: true }), await signIn(ada)];
    const change = (currentPassword: string, password: string) =>
      account(here, "POST", "/password", { currentPassword, password });

    expect(await change("not my password", "velvet compass 42")).toMatchObject({
      status: 403,
      json: { code: "INVALID_CREDENTIALS", errors: [{ pointer: "/currentPassword" }] },
    });
    expect(await change(ada.password, ada.email)).toMatchObject({
      status: 400,
      json: { errors: [{ pointer: "/password" }] },
    });
    expect((await change(ada.password, "velvet compass 42")).status).toBe(204);

    expect(await renew(there)).toBe("invalid_grant");
    expect(await askSession(there)).toBe("login_required");
    expect(await areOldTokensEnded(here)).toBe(true);
    expect(await renew(here)).toBe("renewed");
    expect((await account(here, "GET")).status).toBe(200);
    expect(await askSession(here)).toBe("signed_in");
    expect((await signIns(here)).json.items).toHaveLength(1);
    await expect(identity.browser().signIn(ada)).rejects.toThrow(/refused/);
    await identity.browser().signIn({ ...ada, password: "velvet compass 42" });
    expect(identity.mails.findLast(({ to }) => to === ada.email)).toMatchObject({
      kind: "password-changed",
      text: expect.stringContaining("all other sessions were ended"),
    });
  });

  it("lets a thief of a token guess a few times, and locks the owner out of nothing", async () => {
    const ada = newCredentials();
    const seat = await signIn(ada, { isNew: true });
    await identity.stopClock(async () => {
      const answers: number[] = [];
      for (let guess = 0; guess < 11; guess += 1) {
        const reply = await account(seat, "POST", "/password", {
          currentPassword: `guess ${String(guess)}`,
          password: "velvet compass 42",
        });
        answers.push(reply.status);
      }
      expect(answers).toEqual([...new Array<number>(10).fill(403), 429]);
      await identity.browser().signIn(ada);
    });
  });
});

describe("the e-mail address", () => {
  it("moves once the new mailbox has shown the link, and the old one takes it back from a thief", async () => {
    const ada = newCredentials();
    const owner = await signIn(ada, { isNew: true });
    await database.sql`update accounts set email_verified = true where email = ${ada.email}`;
    const thiefs = "thief@example.test";
    const ask = (currentPassword: string, email: string) =>
      account(owner, "POST", "/email", { email, currentPassword });

    expect((await ask("not my password", thiefs)).status).toBe(403);
    expect((await ask(ada.password, ada.email.toUpperCase())).status).toBe(400);
    expect(await ask(ada.password, ` ${thiefs.toUpperCase()} `)).toMatchObject({
      status: 202,
      json: { email: ada.email, pendingEmail: thiefs },
    });
    await identity.browser().signIn(ada);

    const link = tokenIn("change-email", thiefs);
    expect(await move("undo", link)).toMatchObject({ status: 410 });
    expect((await move("change", link)).json).toEqual({ email: thiefs });
    expect((await move("change", link)).status).toBe(410);
    expect((await account(owner, "GET")).json).toMatchObject({
      email: thiefs,
      emailVerified: true,
      pendingEmail: null,
    });
    const undo = tokenIn("email-changed", ada.email);

    // The thief moves on, so that an undo of that would bring the address here back.
    expect((await ask(ada.password, "further@example.test")).status).toBe(202);
    await move("change", tokenIn("change-email", "further@example.test"));
    const thiefsUndo = tokenIn("email-changed", thiefs);

    const undone = await move("undo", undo);
    expect(undone.json).toMatchObject({ email: ada.email });
    expect((await move("undo", thiefsUndo)).status).toBe(410);
    expect(await renew(owner)).toBe("invalid_grant");
    await expect(identity.browser().signIn(ada)).rejects.toThrow(/refused/);
    const password = "amber lighthouse 7";
    const reset = await identity
      .browser()
      .call("POST", "/idp/password/reset", { json: { token: undone.json.resetToken, password } });
    expect(reset.status).toBe(204);
    await identity.browser().signIn({ email: ada.email, password });
  });

  it("answers alike for an address that has an account, tells its owner, and moves nothing", async () => {
    const [ada, grace] = [newCredentials(), newCredentials()];
    const seat = await signIn(ada, { isNew: true });
    await signIn(grace, { isNew: true });
    const reply = await account(seat, "POST", "/email", {
      email: grace.email,
      currentPassword: ada.password,
    });
    expect(reply).toMatchObject({
      status: 202,
      json: { email: ada.email, pendingEmail: grace.email },
    });
    expect(identity.mails.findLast(({ to }) => to === grace.email)?.kind).toBe("address-in-use");
    expect(
      identity.mails.some((one) => one.kind === "change-email" && one.to === grace.email),
    ).toBe(false);
  });

  it("tells a former address that was never confirmed, and gives it no way to take the account", async () => {
    const ada = newCredentials();
    const seat = await signIn(ada, { isNew: true });
    const email = `new-${ada.email}`;
    await account(seat, "POST", "/email", { email, currentPassword: ada.password });
    await move("change", tokenIn("change-email", email));
    const notice = identity.mails.findLast(({ to }) => to === ada.email);
    expect(notice).toMatchObject({ kind: "email-changed" });
    expect(notice?.text).not.toContain("#undo-email");
    expect(notice?.text).not.toContain(email);
  });

  it("sends the confirmation again, a few times in an hour, and not once it is confirmed", async () => {
    const ada = newCredentials();
    const seat = await signIn(ada, { isNew: true });
    const again = () => account(seat, "POST", "/confirmation", {});
    expect(await again()).toMatchObject({ status: 202, json: { isSent: true } });
    const token = tokenIn("confirm-email", ada.email);
    const confirmed = await identity
      .browser()
      .call("POST", "/idp/email/confirm", { json: { token, password: ada.password } });
    expect(confirmed.status).toBe(200);
    expect((await again()).json).toEqual({ isSent: false });
    await database.sql`update accounts set email_verified = false where email = ${ada.email}`;
    const answers = [];
    for (let turn = 0; turn < 5; turn += 1) {
      answers.push((await again()).status);
    }
    expect(answers).toEqual([202, 202, 202, 202, 429]);
  });
});

describe("the end of an account", () => {
  it("takes the address and the password, leaves no way in, tells the person, and frees the address", async () => {
    const ada = newCredentials();
    const [here, there] = [await signIn(ada, { isNew: true }), await signIn(ada)];
    const end = (body: object) => account(here, "POST", "/delete", body);
    const confirmation = ada.email.toUpperCase();
    expect((await end({ confirmation })).json.errors).toMatchObject([
      { pointer: "/currentPassword" },
    ]);
    expect((await end({ confirmation, currentPassword: "not my password" })).status).toBe(403);
    const exported = (await account(here, "GET", "/export")).json;
    expect(exported).toMatchObject({ account: { email: ada.email }, cutKinds: [] });
    expect(exported.signIns).toHaveLength(2);
    expect(JSON.stringify(exported)).not.toContain("argon2");

    expect((await end({ confirmation, currentPassword: ada.password })).status).toBe(204);
    for (const seat of [here, there]) {
      expect((await account(seat, "GET")).status).toBe(401);
      expect(await renew(seat)).toBe("invalid_grant");
      expect(await askSession(seat)).toBe("login_required");
    }
    await expect(identity.browser().signIn(ada)).rejects.toThrow(/refused/);
    expect(identity.mails.findLast(({ to }) => to === ada.email)?.kind).toBe("account-deleted");
    const again = await identity.browser().register(ada);
    expect(again.claims.sub).not.toBe(here.tokens.claims()?.sub);
  });
});

describe("getOwner", () => {
  it("refuses command lines, and people whose account is elsewhere", async () => {
    const seat = await signIn(newCredentials(), { isNew: true });
    await account(seat, "GET");
    const [user] =
      await database.sql`select user_id from users where subject = ${seat.tokens.claims()?.sub ?? ""}`;
    const person = {
      type: "user",
      id: user?.["user_id"],
      isOperator: true,
      roles: new Map(),
    } as const;
    const call = (actor: object) => ({
      context: { actor: { ...person, ...actor }, requestId: "req" },
      network: "192.0.2.1",
    });
    const deps = { ...identity.services, accounts: identity.provider().ownAccounts };
    await expect(getOwner(deps, call({ isByDevice: true }))).rejects.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
    await expect(getOwner({ ...deps, accounts: undefined }, call({}))).rejects.toMatchObject({
      code: "ACCOUNT_ELSEWHERE",
    });
    await database.sql`update users set issuer = 'https://elsewhere.test' where user_id = ${person.id}`;
    await expect(getOwner(deps, call({}))).rejects.toMatchObject({ code: "ACCOUNT_ELSEWHERE" });
  });
});
