import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CHEAP_HASHES,
  type IdentityFixture,
  newCredentials,
  type Reply,
  startIdentityProvider,
} from "../testing/identity-provider.fixture.ts";
import { HOUR_MS, mailTo, NEW_PASSWORD, post, submit, tells, tokenTo } from "./accounts.fixture.ts";

let database: TestDatabase;

/** A provider whose accounts work at once. */
let open: IdentityFixture;
/** A provider whose accounts work once their address is confirmed. */
let confirming: IdentityFixture;

beforeAll(async () => {
  database = await createTestDatabase();
  open = await startIdentityProvider(database);
  confirming = await startIdentityProvider(database, { confirmEmail: true });
});
afterAll(async () => {
  await open.close();
  await confirming.close();
  await database.close();
});

describe("whether an address has an account", () => {
  it("is not revealed by a sign-in: unknown and wrong get the same answer and cost one hash each", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const hashes = async (json: object): Promise<[Reply, number]> => {
      const before = open.provider().hashing.done;
      const reply = await submit(open.browser(), "login", json);
      return [reply, open.provider().hashing.done - before];
    };
    const [wrong, wrongHashes] = await hashes({ email: ada.email, password: "not that one" });
    const [unknown, unknownHashes] = await hashes({
      email: newCredentials().email,
      password: "not that one",
    });
    expect(wrong.json.code).toBe("INVALID_CREDENTIALS");
    expect(tells(unknown)).toEqual(tells(wrong));
    expect([wrongHashes, unknownHashes]).toEqual([1, 1]);
  });

  it("is not revealed by the limits", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const limitOf = async (email: string): Promise<unknown[]> => {
      const browser = open.browser();
      const { uid } = await browser.begin();
      const replies: Reply[] = [];
      for (let attempt = 0; attempt < 12; attempt += 1) {
        const json = { email, password: "not that one" };
        replies.push(await browser.call("POST", `/idp/interaction/${uid}/login`, { json }));
      }
      return replies.map((reply) => [reply.status, reply.json.code]);
    };
    expect(await limitOf(newCredentials().email)).toEqual(await limitOf(ada.email));
  });

  it("is not revealed to a stranger who registers the address and signs in with that password, nor by the limits", async () => {
    const ada = newCredentials();
    await submit(confirming.browser(), "register", ada);
    const token = await tokenTo(confirming, ada.email, "confirm-email");
    await post(confirming, "/idp/email/confirm", { token, password: ada.password });
    const probe = async (email: string): Promise<unknown[]> => {
      const json = { email, password: "what a stranger chose" };
      const browser = confirming.browser();
      await submit(browser, "register", json);
      await confirming.provider().settle();
      const { uid } = await browser.begin();
      const replies: unknown[] = [];
      for (let attempt = 0; attempt < 11; attempt += 1) {
        replies.push(tells(await browser.call("POST", `/idp/interaction/${uid}/login`, { json })));
      }
      return replies;
    };
    expect(await probe(newCredentials().email)).toEqual(await probe(ada.email));
  });

  it("is not revealed by forgetting a password", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const known = await post(open, "/idp/password/forgot", { email: ada.email });
    const unknown = await post(open, "/idp/password/forgot", { email: newCredentials().email });
    expect(known.status).toBe(202);
    expect(tells(unknown)).toEqual(tells(known));
  });

  it("is not revealed by a registration that must be confirmed, which costs one hash either way", async () => {
    const ada = newCredentials();
    const browser = confirming.browser();
    const first = await submit(browser, "register", ada);
    expect(first.json).toEqual({ confirmationSent: true });
    const token = await tokenTo(confirming, ada.email, "confirm-email");
    await post(confirming, "/idp/email/confirm", { token, password: ada.password });

    const before = confirming.provider().hashing.done;
    const taken = await submit(confirming.browser(), "register", ada);
    const middle = confirming.provider().hashing.done;
    const fresh = await submit(confirming.browser(), "register", newCredentials());
    const after = confirming.provider().hashing.done;
    expect(tells(taken)).toEqual(tells(fresh));
    expect([middle - before, after - middle]).toEqual([1, 1]);
    await mailTo(confirming, ada.email, "address-taken");
    await confirming.browser().signIn(ada);
  });

  it("is stated openly when addresses are not confirmed by mail", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const reply = await submit(open.browser(), "register", {
      ...ada,
      email: ada.email.toUpperCase(),
    });
    expect([reply.status, reply.json.code]).toEqual([409, "ALREADY_EXISTS"]);
    expect(reply.json.errors[0].pointer).toBe("/email");
  });
});

describe("an account", () => {
  it("is found in any case of the address, with any spaces around it", async () => {
    const ada = newCredentials();
    const registered = await open.browser().register(ada);
    const email = `  ${ada.email.toUpperCase()} `;
    const again = await open.browser().signIn({ ...ada, email });
    expect(again.claims.sub).toBe(registered.claims.sub);
  });

  it("is created once by many concurrent registrations", async () => {
    const ada = newCredentials();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => open.browser().register(ada)),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const rows = await database.sql`select 1 from accounts where email = ${ada.email}`;
    expect(rows).toHaveLength(1);
  });

  it.each([
    ["short", "too short"],
    ["the address", (email: string) => email],
    ["the address and a digit", (email: string) => `${email}1`],
    ["common", "Password2024!"],
    ["a word twice", "welcomewelcome"],
    ["a row of keys", "qwertyuiop[]"],
    ["a pattern", "abcabcabcabc"],
    ["too long", "long words ".repeat(30)],
  ])("is not created with a password that is %s", async (_why, chosen) => {
    const { email } = newCredentials();
    const password = typeof chosen === "string" ? chosen : chosen(email);
    const reply = await submit(open.browser(), "register", { email, password });
    expect([reply.status, reply.json.code]).toEqual([400, "INVALID_REQUEST"]);
    expect(reply.json.errors[0].pointer).toBe("/password");
    expect(reply.text).not.toContain(password);
  });

  it("accepts a password in any Unicode composition", async () => {
    const ada = { ...newCredentials(), password: "Zürich geht früh schlafen" };
    await open.browser().register({ ...ada, password: ada.password.normalize("NFD") });
    await open.browser().signIn({ ...ada, password: ada.password.normalize("NFC") });
  });

  it("has a name without addresses, hidden or look-alike letters, and says so where it is chosen", async () => {
    const bad = ["Ada\r\nBcc: x", "x@evil.test", "Win at evil.com", "Ad\u200ba", "P\u0430ypal"];
    for (const name of bad) {
      const reply = await submit(open.browser(), "register", { ...newCredentials(), name });
      expect(reply.status).toBe(400);
      expect(reply.json).toMatchObject({ code: "INVALID_REQUEST", errors: [{ pointer: "/name" }] });
    }
    const ada = { ...newCredentials(), name: "Ada Łódź" };
    const { claims } = await open.browser().register(ada);
    expect(claims["name"]).toBe("Ada Łódź");
    await post(open, "/idp/password/forgot", { email: ada.email });
    // Greets by name only at a confirmed address, and following the link confirms it.
    const token = await tokenTo(open, ada.email, "reset-password");
    await post(open, "/idp/password/reset", { token, password: NEW_PASSWORD });
    await post(open, "/idp/password/forgot", { email: ada.email });
    const mail = await pollUntil("another mail", async () =>
      open.mails.filter((one) => one.to === ada.email && one.kind === "reset-password").at(1),
    );
    expect(mail.text).toMatch(/^Hello Ada Łódź,\n/);
  });

  it("gets a new hash at a sign-in when the cost has gone up", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const costly = await startIdentityProvider(database, {
      passwordCost: { ...CHEAP_HASHES, passes: 3 },
    });
    try {
      await costly.browser().signIn(ada);
      await pollUntil("the hash costs more", async () => {
        const [row] = await database.sql<{ password_hash: string }[]>`
          select password_hash from accounts where email = ${ada.email}`;
        return row?.password_hash.startsWith("$argon2id$v=19$m=64,t=3,p=1$");
      });
      await open.browser().signIn(ada);
    } finally {
      await costly.close();
    }
  });
});

describe("a mail to an unconfirmed address", () => {
  it("contains no text of the person who registered it", async () => {
    const { email, password } = newCredentials();
    const name = "You won! Claim it at evil.test";
    await submit(confirming.browser(), "register", { email, password, name });
    await mailTo(confirming, email, "confirm-email");
    await post(confirming, "/idp/password/forgot", { email });
    const token = await tokenTo(confirming, email, "reset-password");
    await post(confirming, "/idp/password/reset", { token, password: NEW_PASSWORD });
    await mailTo(confirming, email, "password-changed");
    const mails = confirming.mails.filter((mail) => mail.to === email);
    expect(mails).toHaveLength(3);
    expect(JSON.stringify(mails)).not.toContain("evil.test");
  });

  it("greets by name once it is confirmed", async () => {
    const ada = { ...newCredentials(), name: "Ada" };
    await submit(confirming.browser(), "register", ada);
    const token = await tokenTo(confirming, ada.email, "confirm-email");
    await post(confirming, "/idp/email/confirm", { token, password: ada.password });
    await submit(confirming.browser(), "register", { ...ada, name: "Someone else" });
    expect((await mailTo(confirming, ada.email, "address-taken")).text).toMatch(/^Hello Ada,/);
  });
});

describe("confirming an address", () => {
  const confirm = (token: string, { password }: { password: string }) =>
    post(confirming, "/idp/email/confirm", { token, password });

  it("activates the account, once", async () => {
    const ada = newCredentials();
    await submit(confirming.browser(), "register", ada);
    const token = await tokenTo(confirming, ada.email, "confirm-email");
    const early = await submit(confirming.browser(), "login", ada);
    expect([early.status, early.json.code]).toEqual([403, "INVALID_CREDENTIALS"]);
    // Signing in sent another link, and only the newest works.
    await pollUntil(
      "another link",
      async () => confirming.mails.filter((mail) => mail.to === ada.email).length === 2,
    );
    const newer = await tokenTo(confirming, ada.email, "confirm-email");
    expect((await confirm(token, ada)).json.code).toBe("LINK_INVALID");
    const done = await confirm(newer, ada);
    expect([done.status, done.json]).toEqual([200, { email: ada.email }]);
    expect((await confirm(newer, ada)).status).toBe(410);
    const { claims } = await confirming.browser().signIn(ada);
    expect(claims["email_verified"]).toBe(true);
  });

  it("requires the password of the registration: a stranger who registers an address gains nothing when its owner follows the link", async () => {
    const { email, password } = newCredentials();
    const stranger = { email, password: "what a stranger chose" };
    await submit(confirming.browser(), "register", stranger);
    const token = await tokenTo(confirming, email, "confirm-email");
    const refused = await confirm(token, { password });
    expect([refused.status, refused.json.code]).toEqual([403, "INVALID_CREDENTIALS"]);
    expect((await submit(confirming.browser(), "login", stranger)).status).toBe(403);
    const before = confirming.mails.length;
    await post(confirming, "/idp/password/forgot", { email });
    await pollUntil("a mail", async () => confirming.mails.length > before);
    const reset = await tokenTo(confirming, email, "reset-password");
    await post(confirming, "/idp/password/reset", { token: reset, password });
    const { claims } = await confirming.browser().signIn({ email, password });
    expect(claims["email_verified"]).toBe(true);
    expect((await submit(confirming.browser(), "login", stranger)).status).toBe(403);
  });

  it("counts wrong passwords as a sign-in does", async () => {
    const ada = newCredentials();
    await submit(confirming.browser(), "register", ada);
    const token = await tokenTo(confirming, ada.email, "confirm-email");
    const browser = confirming.browser();
    const json = { token, password: "not that one" };
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) {
      statuses.push((await browser.call("POST", "/idp/email/confirm", { json })).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(403), 429]);
  });

  it("expires after a day", async () => {
    const ada = newCredentials();
    await submit(confirming.browser(), "register", ada);
    const token = await tokenTo(confirming, ada.email, "confirm-email");
    confirming.advance(24 * HOUR_MS + 1_000);
    expect((await confirm(token, ada)).status).toBe(410);
  });

  it("confirms the newest registration of an address, with its password", async () => {
    const { email } = newCredentials();
    await submit(confirming.browser(), "register", { email, password: "what a stranger chose" });
    const old = await tokenTo(confirming, email, "confirm-email");
    await submit(confirming.browser(), "register", { email, password: NEW_PASSWORD });
    await pollUntil(
      "two mails",
      async () => confirming.mails.filter((mail) => mail.to === email).length === 2,
    );
    const token = await tokenTo(confirming, email, "confirm-email");
    expect((await confirm(old, { password: "what a stranger chose" })).status).toBe(410);
    await confirm(token, { password: NEW_PASSWORD });
    await confirming.browser().signIn({ email, password: NEW_PASSWORD });
    const stranger = { email, password: "what a stranger chose" };
    expect((await submit(confirming.browser(), "login", stranger)).status).toBe(403);
  });
});

describe("an address that a stranger registered before addresses were confirmed", () => {
  it("becomes its owner's account, with the stranger signed out", async () => {
    const { email } = newCredentials();
    const stranger = await open.browser().register({ email, password: "what a stranger chose" });
    await submit(confirming.browser(), "register", { email, password: NEW_PASSWORD });
    const token = await tokenTo(confirming, email, "confirm-email");
    await confirming.provider().settle();
    await post(confirming, "/idp/email/confirm", { token, password: NEW_PASSWORD });

    const [user] = await open.services.transact.asOperator(
      (tx) => tx<{ tokens_valid_from: Date | null }[]>`
        select tokens_valid_from from users where issuer = 'builtin' and subject = ${stranger.claims.sub}`,
    );
    expect(user?.tokens_valid_from?.getTime()).toBeGreaterThanOrEqual(stranger.claims.iat * 1_000);
    await expect(
      openid.refreshTokenGrant(await open.oidc(), stranger.tokens.refresh_token ?? ""),
    ).rejects.toMatchObject({ error: "invalid_grant" });
    const [records] = await open.services.transact.asOperator(
      (tx) => tx<{ count: number }[]>`
        select count(*)::int as count from oidc_records where account_id = ${stranger.claims.sub}`,
    );
    expect(records?.count).toBe(0);
  });
});
