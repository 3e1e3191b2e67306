import { createTestIssuer, type TestIssuer, type TestPerson } from "@turnpike/testkit/id-tokens";
import { refusalOf } from "@turnpike/testkit/refusal-of";
import { createTestDatabase, type TestDatabase } from "@turnpike/testkit/test-database";
import { contextOf, createTestServices, type TestServices } from "@turnpike/testkit/test-services";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { endTokens } from "../tokens/end-tokens.ts";
import { createPublishedKeys } from "../tokens/published-keys.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { createTokenVerifier } from "../tokens/verify-id-token.ts";
import { createUserDirectory } from "../users/user-directory.ts";
import {
  beginConnecting,
  connectIdentity,
  disconnectIdentity,
  listOwnIdentities,
  type OwnIdentitiesDeps,
} from "./own-identities.ts";
import { releaseIdentitiesOfAccount } from "./release-identities.ts";

let database: TestDatabase;
let services: TestServices;
let google: TestIssuer;
let corp: TestIssuer;
let builtin: TestIssuer;
let deps: OwnIdentitiesDeps;
let verifyToken: OwnIdentitiesDeps["verifyToken"];
const mails: { to: string; subject: string }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  services = createTestServices(database);
  const { now } = services.clock;
  google = await createTestIssuer({ issuer: "https://google.test", clientId: "console", now });
  corp = await createTestIssuer({ issuer: "https://corp.test", clientId: "console", now });
  builtin = await createTestIssuer({ issuer: "https://c.test/idp", clientId: "console", now });
  const trust = (issuer: TestIssuer, storedAs = issuer.issuer) => ({
    issuer: issuer.issuer,
    storedAs,
    clientId: issuer.clientId,
    findKey: createPublishedKeys(issuer.publicKeys),
    ...(issuer === corp ? { secondFactorClaims: { amr: ["mfa"], acr: [] } } : {}),
  });
  verifyToken = createTokenVerifier({
    clock: services.clock,
    issuers: [trust(google), trust(corp), trust(builtin, BUILTIN_ISSUER)],
  });
  deps = {
    ...services,
    accounts: undefined,
    verifyToken,
    providers: [
      { id: "google", name: "Google", issuer: google.issuer },
      { id: "corp", name: "Corp", issuer: corp.issuer },
    ],
    trustedIssuers: new Set([google.issuer, corp.issuer, BUILTIN_ISSUER]),
    mailer: { sendMail: (_tx, mail) => Promise.resolve(void mails.push(mail)) },
    stage: { brand: "Turnpike", consoleUrl: "https://c.test" },
  };
});
afterAll(() => database.close());
beforeEach(() => {
  mails.length = 0;
  services.clock.advance(2_000);
});

/** Finds the person of a token, in a process that remembers no one. */
async function identify(token: string, options: { requiresSso?: boolean } = {}) {
  return await createUserDirectory({
    ...services,
    verifyToken,
    roles: {
      listRoles: () => Promise.resolve(new Map()),
      listActing: () => Promise.resolve(new Map()),
    },
    operators: [],
    requiresSso: () => Promise.resolve(options.requiresSso === true),
  }).identify(token);
}

async function callOf(token: string) {
  return { context: contextOf((await identify(token)).actor), network: "203.0.113.7" };
}
type Call = Awaited<ReturnType<typeof callOf>>;

let nonces = 0;
function newNonce(): string {
  nonces += 1;
  return `nonce-of-a-test-number-${String(nonces)}`;
}

async function signInAt(issuer: TestIssuer, subject: string, person: TestPerson = {}) {
  const token = await issuer.mintIdToken({ subject, ...person });
  return { token, call: await callOf(token) };
}

/** Signs in at a provider to connect it. */
async function connect(call: Call, providerId: "google" | "corp", subject: string) {
  const nonce = newNonce();
  await beginConnecting(deps, call, { providerId, nonce });
  const issuer = providerId === "google" ? google : corp;
  const idToken = await issuer.mintIdToken({ subject, claims: { nonce } });
  return await connectIdentity(deps, call, { idToken });
}

const userIdOf = async (token: string) => (await identify(token)).user.userId;

describe("connecting a provider", () => {
  it("makes both sign-ins one person, who keeps name and address, with a mail and an audit entry", async () => {
    const { call, token } = await signInAt(google, "ada");
    const { items } = await connect(call, "corp", "ada-at-work");
    expect(items).toMatchObject([
      { issuer: google.issuer, isFirst: true, canDisconnect: true },
      {
        issuer: corp.issuer,
        email: "ada-at-work@example.com",
        isFirst: false,
        canDisconnect: true,
      },
    ]);
    const there = await identify(await corp.mintIdToken({ subject: "ada-at-work" }));
    expect(there.user).toMatchObject({ userId: await userIdOf(token), email: "ada@example.com" });
    expect(mails).toMatchObject(
      [{ to: "ada@example.com", subject: /Corp was connected/ }].map(({ to, subject }) => ({
        to,
        subject: expect.stringMatching(subject),
      })),
    );
    const trail = await database.sql`
      select action, details from audit_entries where actor_id = ${there.user.userId}`;
    expect(trail).toMatchObject([
      { action: "identity.connected", details: { issuer: corp.issuer } },
    ]);
  });

  it("refuses an identity that has an account, or belongs to one, also with equal addresses", async () => {
    const { call } = await signInAt(google, "bea", { email: "same@example.com" });
    const other = await signInAt(corp, "bea-too", { email: "same@example.com" });
    expect(await refusalOf(connect(call, "corp", "bea-too"))).toMatchObject({
      code: "ALREADY_EXISTS",
      message: expect.stringContaining("belongs to another account"),
    });
    await connect(call, "corp", "bea-free");
    const { call: third } = await signInAt(google, "cyd");
    expect((await refusalOf(connect(third, "corp", "bea-free"))).code).toBe("ALREADY_EXISTS");
    expect((await refusalOf(connect(call, "corp", "bea-second"))).message).toContain(
      "Disconnect it first",
    );
    expect(await userIdOf(other.token)).not.toBe(call.context.actor.id);
  });

  it("takes a token that answers its own attempt alone: of this person, provider, nonce and browser, once, within ten minutes", async () => {
    const { call } = await signInAt(google, "dan");
    const { call: stranger } = await signInAt(google, "eve");
    const nonce = newNonce();
    const tokenWith = (claims: { nonce?: string }) =>
      corp.mintIdToken({ subject: "dan-corp", claims });
    const idToken = await tokenWith({ nonce });
    const refused = async (by: Call, token: string) =>
      (await refusalOf(connectIdentity(deps, by, { idToken: token }))).code;
    expect(await refused(call, idToken), "none was begun").toBe("SIGN_IN_EXPIRED");
    const begin = (by = call) => beginConnecting(deps, by, { providerId: "corp", nonce });
    await begin();
    expect(await refused(stranger, idToken), "of another person").toBe("SIGN_IN_EXPIRED");
    expect(await refused(call, await tokenWith({})), "no nonce").toBe("SIGN_IN_EXPIRED");
    expect(await refused(call, idToken), "used up by the one before").toBe("SIGN_IN_EXPIRED");
    await begin();
    const otherBrowser = { ...call.context.actor, signInId: "sin_other" };
    expect(
      await refused(
        { ...call, context: contextOf(otherBrowser as typeof call.context.actor) },
        idToken,
      ),
    ).toBe("SIGN_IN_EXPIRED");
    await begin();
    expect(
      await refused(call, await google.mintIdToken({ subject: "x", claims: { nonce } })),
      "of another provider",
    ).toBe("SIGN_IN_EXPIRED");
    await begin();
    expect(await refused(call, "a.b.c")).toBe("INVALID_REQUEST");
    services.clock.advance(10 * 60_000);
    expect(await refused(call, await tokenWith({ nonce })), "too late").toBe("SIGN_IN_EXPIRED");
  });

  it("needs a sign-in of the last five minutes, which a renewed token does not pretend to be", async () => {
    const stale = await signInAt(google, "fay", { signedInAgoMs: 6 * 60_000 });
    const begin = beginConnecting(deps, stale.call, { providerId: "corp", nonce: newNonce() });
    expect((await refusalOf(begin)).code).toBe("SIGN_IN_EXPIRED");
  });
});

describe("a connected provider", () => {
  it("opens no account that needs a second factor, unless its token proves one by the claims that the operator trusts", async () => {
    const account = async (since: Date | null) => {
      await database.sql`
        insert into accounts (account_id, email, password_hash, password_changed_at, mail_window_started_at, created_at, updated_at, second_factor_since)
        values ('gil', 'gil@example.com', '', now(), now(), now(), now(), ${since})
        on conflict (account_id) do update set second_factor_since = excluded.second_factor_since`;
    };
    await account(null);
    const { call } = await signInAt(builtin, "gil");
    await connect(call, "google", "gil");
    await connect(call, "corp", "gil");
    const plain = await google.mintIdToken({ subject: "gil", claims: { amr: ["mfa"] } });
    const strong = await corp.mintIdToken({ subject: "gil", claims: { amr: ["pwd", "mfa"] } });
    const weak = await corp.mintIdToken({ subject: "gil", claims: { amr: ["pwd"] } });
    expect(await userIdOf(plain)).toBe(call.context.actor.id);
    await account(new Date());
    expect((await refusalOf(identify(plain))).code).toBe("SECOND_FACTOR_REQUIRED");
    expect((await refusalOf(identify(weak))).code).toBe("SECOND_FACTOR_REQUIRED");
    expect(await userIdOf(strong)).toBe(call.context.actor.id);
    expect((await refusalOf(identify(strong, { requiresSso: true }))).code).toBe("SSO_REQUIRED");
  });

  it("ends with the person's tokens, and with what a stranger may have connected before the address was proven", async () => {
    const { call } = await signInAt(builtin, "hal");
    await connect(call, "corp", "hal");
    const before = await corp.mintIdToken({ subject: "hal" });
    services.clock.advance(2_000);
    await services.transact.asOperator((tx) =>
      endTokens({ ...services, agents: { endAgentsOf: () => Promise.resolve() } }, tx, {
        subject: "hal",
        why: "signed_out",
      }),
    );
    expect((await refusalOf(identify(before))).code).toBe("UNAUTHENTICATED");
    const after = await corp.mintIdToken({ subject: "hal" });
    expect(await userIdOf(after)).toBe(call.context.actor.id);
    await services.transact.asOperator((tx) => releaseIdentitiesOfAccount(services, tx, "hal"));
    expect((await refusalOf(identify(after))).code).toBe("UNAUTHENTICATED");
    services.clock.advance(2_000);
    expect(await userIdOf(await corp.mintIdToken({ subject: "hal" }))).not.toBe(
      call.context.actor.id,
    );
  });
});

describe("disconnecting a provider", () => {
  it("refuses its earlier tokens, never takes the last way in, and lets it be connected again", async () => {
    const { call } = await signInAt(google, "ida");
    const last = disconnectIdentity(deps, call, { issuer: google.issuer });
    expect((await refusalOf(last)).code).toBe("CONFLICT");
    await connect(call, "corp", "ida-corp");
    const old = await corp.mintIdToken({ subject: "ida-corp" });
    const { items } = await disconnectIdentity(deps, call, { issuer: corp.issuer });
    expect(items).toMatchObject([{ issuer: google.issuer, canDisconnect: false }]);
    expect((await refusalOf(identify(old))).code).toBe("UNAUTHENTICATED");
    expect(mails.map(({ subject }) => subject)).toContainEqual(
      expect.stringContaining("Corp was disconnected"),
    );
    services.clock.advance(2_000);
    await connect(call, "corp", "ida-corp");
    expect((await listOwnIdentities(deps, call)).items).toHaveLength(2);
  });

  it("makes the other identity the first one, with its name and address, when the first one goes", async () => {
    const { call, token } = await signInAt(google, "jon");
    await connect(call, "corp", "jon-corp");
    const { items } = await disconnectIdentity(deps, call, { issuer: google.issuer });
    expect(items).toMatchObject([{ issuer: corp.issuer, isFirst: true, canDisconnect: false }]);
    expect((await refusalOf(identify(token))).code).toBe("UNAUTHENTICATED");
    const { user } = await identify(await corp.mintIdToken({ subject: "jon-corp" }));
    expect(user).toMatchObject({
      userId: call.context.actor.id,
      email: "jon-corp@example.com",
      name: "jon-corp",
    });
  });

  it("does not count a provider that the configuration no longer has as a way in", async () => {
    const { call } = await signInAt(google, "kim");
    await connect(call, "corp", "kim-corp");
    const without = { ...deps, trustedIssuers: new Set([google.issuer]) };
    const last = disconnectIdentity(without, call, { issuer: google.issuer });
    expect((await refusalOf(last)).code).toBe("CONFLICT");
    expect((await refusalOf(disconnectIdentity(deps, call, { issuer: "builtin" }))).code).toBe(
      "RESOURCE_NOT_FOUND",
    );
  });
});
