import { AppError } from "@turnpike/domain/errors/app-error";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAttemptLimits } from "../attempts/attempt-limits.ts";
import {
  CHEAP_HASHES,
  type IdentityFixture,
  newAddress,
  newCredentials,
  type Reply,
  startIdentityProvider,
  type TestBrowser,
} from "../testing/identity-provider.fixture.ts";
import { createAccounts } from "./accounts.ts";
import { createBackgroundWork } from "./background-work.ts";
import { type PasswordHasher, startPasswordHasher } from "./password-hasher.ts";

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

const HOUR_MS = 60 * 60 * 1_000;
const NEW_PASSWORD = "a quiet lighthouse keeper";

async function submit(
  browser: TestBrowser,
  form: "login" | "register",
  json: object,
): Promise<Reply> {
  const { uid } = await browser.begin(form === "login" ? {} : { prompt: "create" });
  return await browser.call("POST", `/idp/interaction/${uid}/${form}`, { json });
}

function post(identity: IdentityFixture, path: string, json: object): Promise<Reply> {
  return identity.browser().call("POST", path, { json });
}

async function mailTo(identity: IdentityFixture, email: string, kind: string) {
  const mail = await pollUntil(`a mail ${kind} to ${email}`, async () =>
    identity.mails.findLast((one) => one.to === email && one.kind === kind),
  );
  // The mail is recorded within the transaction that creates its link, which must end before the test continues.
  await identity.provider().settle();
  return mail;
}

async function tokenTo(identity: IdentityFixture, email: string, kind: string): Promise<string> {
  const { text } = await mailTo(identity, email, kind);
  const link = /https?:\/\/\S+/.exec(text)?.[0] ?? "";
  expect(link.startsWith(`${identity.url}/login#`)).toBe(true);
  const token = /=([A-Za-z0-9_-]{43})$/.exec(link)?.[1];
  expect(token).toBeDefined();
  return token ?? "";
}

/** An answer without the parts that differ between any two. */
function tells({ status, headers, text }: Reply) {
  return {
    status,
    names: [...headers.keys()].toSorted(),
    length: headers.get("content-length"),
    body: text.replace(/req_[0-9a-f]+/g, "").replace(/auth\/[\w-]+/g, ""),
  };
}

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

describe("an account that strangers guess at", () => {
  const attack = async (email: string) => {
    const codes: string[] = [];
    const strangers = Array.from({ length: 14 }, () => open.browser());
    for (let index = 0; index < 130; index += 1) {
      const stranger = strangers[index % strangers.length] ?? open.browser();
      const wrong = { email, password: `wrong password ${String(index)}` };
      codes.push((await submit(stranger, "login", wrong)).json.code);
    }
    return codes;
  };

  it("stays open to its owner, in a browser that signed in before", async () => {
    const ada = newCredentials();
    const home = open.browser();
    await home.register(ada);
    await open.stopClock(async () => {
      const codes = await attack(ada.email);
      expect(codes.filter((code) => code === "INVALID_CREDENTIALS")).toHaveLength(100);
      expect(codes.filter((code) => code === "TOO_MANY_ATTEMPTS")).toHaveLength(30);
      const elsewhere = await submit(open.browser(), "login", ada);
      expect(elsewhere.json.code).toBe("TOO_MANY_ATTEMPTS");
      await home.signIn(ada);
      const guesses: string[] = [];
      for (let index = 0; index < 11; index += 1) {
        const wrong = { email: ada.email, password: "wrong password 1" };
        guesses.push((await submit(home, "login", wrong)).json.code);
      }
      expect(guesses).toEqual([...Array(10).fill("INVALID_CREDENTIALS"), "TOO_MANY_ATTEMPTS"]);
    });
  });

  it("is open again to an owner who resets the password, and no longer to browsers of the earlier one", async () => {
    const ada = newCredentials();
    const before = open.browser();
    await before.register(ada);
    await open.stopClock(async () => {
      await attack(ada.email);
      const owner = open.browser();
      await post(open, "/idp/password/forgot", { email: ada.email });
      const token = await tokenTo(open, ada.email, "reset-password");
      const password = NEW_PASSWORD;
      const reset = { token, password };
      expect((await owner.call("POST", "/idp/password/reset", { json: reset })).status).toBe(204);
      await owner.signIn({ ...ada, password });
      const stale = await submit(before, "login", { ...ada, password });
      expect(stale.json.code).toBe("TOO_MANY_ATTEMPTS");
    });
  });
});

describe("sign-ins without a verdict", () => {
  it("do not count as failed: the right password works as soon as it can be checked", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const { services } = open;
    const limits = createAttemptLimits(services.clock);
    const makeAccounts = (hasher: PasswordHasher) =>
      createAccounts(
        {
          ...services,
          hasher,
          limits,
          background: createBackgroundWork(services),
          agents: { endAgentsOf: () => Promise.resolve() },
          mailer: { sendMail: () => Promise.resolve() },
        },
        { brand: "T", consoleUrl: open.url, confirmEmail: false, passwordLengthMin: 12 },
      );
    const free = await startPasswordHasher(services, { cost: CHEAP_HASHES });
    const refusal = new AppError({ code: "OVERLOADED", publicMessage: "Too many." });
    const full: PasswordHasher = { ...free, verify: () => Promise.reject(refusal) };
    try {
      const input = { ...ada, network: "192.0.2.7" };
      for (let attempt = 0; attempt < 12; attempt += 1) {
        await expect(makeAccounts(full).signIn(input)).rejects.toMatchObject({
          code: "OVERLOADED",
        });
      }
      expect(await makeAccounts(free).signIn(input)).toHaveProperty("accountId");
    } finally {
      await free.stop();
    }
  });
});

describe("resetting a password", () => {
  async function resetToken(email: string): Promise<string> {
    const before = open.mails.length;
    await post(open, "/idp/password/forgot", { email });
    await pollUntil("a mail", async () => open.mails.length > before);
    return await tokenTo(open, email, "reset-password");
  }

  it("sets the password, ends every session and confirms it by mail", async () => {
    const ada = newCredentials();
    const browser = open.browser();
    const before = await browser.register(ada);
    const { tokens } = before;
    const token = await resetToken(ada.email);
    const reply = await post(open, "/idp/password/reset", { token, password: NEW_PASSWORD });
    expect(reply.status).toBe(204);

    // ID tokens cannot be recalled, but the API refuses earlier ones from now on.
    const [user] = await open.services.transact.asOperator(
      (tx) => tx<{ tokens_valid_from: Date | null }[]>`
        select tokens_valid_from from users where issuer = 'builtin' and subject = ${before.claims.sub}`,
    );
    const issuedAtMs = before.claims.iat * 1_000;
    expect(user?.tokens_valid_from?.getTime()).toBeGreaterThanOrEqual(issuedAtMs);

    expect((await browser.begin({ prompt: "none" })).uid).toContain("login_required");
    await expect(
      openid.refreshTokenGrant(await open.oidc(), tokens.refresh_token ?? ""),
    ).rejects.toMatchObject({ error: "invalid_grant" });
    expect((await submit(open.browser(), "login", ada)).json.code).toBe("INVALID_CREDENTIALS");
    const { claims } = await open.browser().signIn({ email: ada.email, password: NEW_PASSWORD });
    expect(claims["email_verified"]).toBe(true);
    await mailTo(open, ada.email, "password-changed");
  });

  it("ends a sign-in in progress", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const browser = open.browser();
    const { uid, request } = await browser.begin();
    const landed = await browser.submit(uid, "login", ada);
    const token = await resetToken(ada.email);
    await post(open, "/idp/password/reset", { token, password: NEW_PASSWORD });
    await expect(
      openid.authorizationCodeGrant(await open.oidc(), landed, {
        pkceCodeVerifier: request.verifier,
        expectedState: request.state,
        expectedNonce: request.nonce,
      }),
    ).rejects.toMatchObject({ error: "invalid_grant" });
  });

  it("works once, even with ten concurrent attempts", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const token = await resetToken(ada.email);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () =>
        post(open, "/idp/password/reset", { token, password: NEW_PASSWORD }),
      ),
    );
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 410)).toHaveLength(9);
  });

  it("expires after an hour, and only the newest link works", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const first = await resetToken(ada.email);
    const second = await resetToken(ada.email);
    const reset = (token: string) =>
      post(open, "/idp/password/reset", { token, password: NEW_PASSWORD });
    expect((await reset(first)).status).toBe(410);
    open.advance(HOUR_MS + 1_000);
    expect((await reset(second)).status).toBe(410);
  });

  it("changes only the account that the link was sent to", async () => {
    const ada = newCredentials();
    const eve = newCredentials();
    await open.browser().register(ada);
    await open.browser().register(eve);
    const token = await resetToken(eve.email);
    await post(open, "/idp/password/reset", { token, password: NEW_PASSWORD });
    await open.browser().signIn(ada);
    const asAda = await submit(open.browser(), "login", { ...ada, password: NEW_PASSWORD });
    expect(asAda.status).toBe(403);
  });

  it("keeps the link valid when the new password is refused", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const token = await resetToken(ada.email);
    const bad = await post(open, "/idp/password/reset", { token, password: ada.email });
    expect([bad.status, bad.json.errors[0].pointer]).toEqual([400, "/password"]);
    const good = await post(open, "/idp/password/reset", { token, password: NEW_PASSWORD });
    expect(good.status).toBe(204);
  });

  it.each(["", "x", "x".repeat(43), "../../etc/passwd", "%00"])(
    "accepts no token such as %j",
    async (token) => {
      const reply = await post(open, "/idp/password/reset", { token, password: NEW_PASSWORD });
      expect([400, 410]).toContain(reply.status);
    },
  );

  it("is not a confirmation, and a confirmation is not a reset", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const token = await resetToken(ada.email);
    const { password } = ada;
    expect((await post(open, "/idp/email/confirm", { token, password })).status).toBe(410);
    expect(
      (await post(open, "/idp/password/reset", { token, password: NEW_PASSWORD })).status,
    ).toBe(204);
  });

  it("uses the public address in links, not that of the request", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    await open.browser().call("POST", "/idp/password/forgot", {
      json: { email: ada.email },
      headers: { "x-forwarded-host": "evil.test", "x-forwarded-proto": "https" },
    });
    const mail = await mailTo(open, ada.email, "reset-password");
    expect(mail.text).toContain(`${open.url}/login#reset=`);
    expect(mail.text).not.toContain("evil.test");
  });

  it("leaves no link in the database or the log", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const token = await resetToken(ada.email);
    const rows = await database.sql<{ line: string }[]>`
      select row::text as line from account_links as row`;
    const traces = rows.map(({ line }) => line).join("\n") + open.logged();
    expect(rows.length).toBeGreaterThan(0);
    expect(traces).not.toContain(token);
    expect(traces).not.toContain(Buffer.from(token, "base64url").toString("hex"));
  });
});

describe("limits", () => {
  it("stop guessing at an account from one network, without locking out its owner", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const thief = open.browser();
    const { uid } = await thief.begin();
    const guess = (password: string) =>
      thief.call("POST", `/idp/interaction/${uid}/login`, { json: { ...ada, password } });
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect((await guess(`guess number ${String(attempt)}`)).status).toBe(403);
    }
    const before = open.provider().hashing.done;
    const limited = await guess(ada.password);
    expect([limited.status, limited.json.code]).toEqual([429, "TOO_MANY_ATTEMPTS"]);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(open.provider().hashing.done).toBe(before);
    await open.browser().signIn(ada);
  });

  it("count a whole /64 as one network, and its neighbour as another", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const address = newAddress().replace("::1", "");
    const guess = async (from: string) =>
      (await submit(open.browser(from), "login", { ...ada, password: "not that one" })).status;
    const first: number[] = [];
    for (let host = 1; host <= 11; host += 1) {
      first.push(await guess(`${address}:${host.toString(16)}:2:3:4`));
    }
    expect(first).toEqual([...Array<number>(10).fill(403), 429]);
    expect(await guess(newAddress())).toBe(403);
  });

  it("count only failures: correct sign-ins are never limited", async () => {
    const ada = newCredentials();
    const browser = open.browser();
    await browser.register(ada);
    for (let round = 0; round < 15; round += 1) {
      await browser.signIn(ada);
    }
  });

  it("stop a network from registering endlessly", async () => {
    const browser = open.browser();
    const { uid } = await browser.begin({ prompt: "create" });
    const statuses: number[] = [];
    for (let round = 0; round < 31; round += 1) {
      const json = newCredentials();
      statuses.push(
        (await browser.call("POST", `/idp/interaction/${uid}/register`, { json })).status,
      );
    }
    expect(statuses.slice(0, 30)).toEqual(Array<number>(30).fill(200));
    expect(statuses[30]).toBe(429);
  });

  it("stop a network from starting sign-ins endlessly", async () => {
    const browser = open.browser();
    const { request } = await browser.begin();
    const begin = async () => (await browser.call("GET", request.url.href)).status;
    const statuses = await open.stopClock(() => Promise.all(Array.from({ length: 305 }, begin)));
    expect(statuses.filter((status) => status === 303).length).toBeLessThanOrEqual(300);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(5);
  });

  it("send at most five mails an hour to an address, from all causes together", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const count = () => open.mails.filter((mail) => mail.to === ada.email).length;
    const ask = () => post(open, "/idp/password/forgot", { email: ada.email });
    for (let round = 0; round < 9; round += 1) {
      expect((await ask()).status).toBe(202);
    }
    await open.provider().settle();
    expect(count()).toBe(5);
    open.advance(HOUR_MS + 1_000);
    await ask();
    await open.provider().settle();
    expect(count()).toBe(6);
  });

  it("answer 500 sign-ins at once with a verdict or a polite refusal", async () => {
    const ada = newCredentials();
    await open.browser().register(ada);
    const browsers = await Promise.all(
      Array.from({ length: 500 }, async () => {
        const browser = open.browser();
        return { browser, uid: (await browser.begin()).uid };
      }),
    );
    const replies = await Promise.all(
      browsers.map(({ browser, uid }) =>
        browser.call("POST", `/idp/interaction/${uid}/login`, {
          json: { ...newCredentials(), password: "not that one" },
        }),
      ),
    );
    const byStatus = Object.groupBy(replies, ({ status }) => status);
    expect(Object.keys(byStatus).every((status) => ["403", "503"].includes(status))).toBe(true);
    for (const refused of byStatus[503] ?? []) {
      expect(refused.json.code).toBe("OVERLOADED");
      expect(refused.headers.get("retry-after")).not.toBeNull();
    }
    expect(open.provider().hashing.waiting).toBe(0);
    await open.browser().signIn(ada);
  });
});
