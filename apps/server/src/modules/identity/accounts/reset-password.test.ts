import { pollUntil } from "@turnpike/testkit/poll-until";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type IdentityFixture,
  newCredentials,
  startIdentityProvider,
} from "../testing/identity-provider.fixture.ts";
import { HOUR_MS, mailTo, NEW_PASSWORD, post, submit, tokenTo } from "./accounts.fixture.ts";

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
