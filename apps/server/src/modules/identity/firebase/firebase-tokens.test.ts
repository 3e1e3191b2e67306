import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "#platform/logger.ts";
import { createOutbound, type Outbound } from "#platform/outbound.ts";
import { createTrustedIssuers } from "../tokens/trusted-issuers.ts";
import { createTokenVerifier } from "../tokens/verify-id-token.ts";
import { acceptEmulatorTokens, isUnsignedToken } from "./emulator-tokens.ts";

const PROJECT = "acme-maps";
const ISSUER = `https://securetoken.google.com/${PROJECT}`;

const clock = createFakeClock();
const SECONDS = Math.floor(clock.now().getTime() / 1_000);

let server: Server;
let outbound: Outbound;
let asked: string[];
let google: CryptoKey;
let stranger: CryptoKey;
let elliptic: CryptoKey;
let verify: ReturnType<typeof createTokenVerifier>;
let verifyInDevelopment: ReturnType<typeof createTokenVerifier>;

beforeAll(async () => {
  const [own, other, ec] = await Promise.all([
    generateKeyPair("RS256"),
    generateKeyPair("RS256"),
    generateKeyPair("ES256"),
  ]);
  google = own.privateKey;
  stranger = other.privateKey;
  elliptic = ec.privateKey;
  const keys = [
    { ...(await exportJWK(own.publicKey)), kid: "google", use: "sig", alg: "RS256" },
    { ...(await exportJWK(ec.publicKey)), kid: "elliptic", use: "sig" },
  ];
  asked = [];
  server = createServer((req, res) => {
    asked.push(req.url ?? "");
    res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ keys }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  outbound = createOutbound();
  const firebase = { projectId: PROJECT, keysUrl: `http://127.0.0.1:${String(port)}/keys` };
  const deps = { clock, outbound, logger: createLogger({ level: "silent" }) };
  const issuers = createTrustedIssuers(deps, { builtin: undefined, providers: [], firebase });
  verify = createTokenVerifier({ clock, issuers });
  verifyInDevelopment = acceptEmulatorTokens(verify, { clock, projectId: PROJECT });
});
afterAll(async () => {
  await outbound.close();
  server.close();
});

/** What Firebase says of a person. */
const GOOD: JWTPayload = {
  iss: ISSUER,
  aud: PROJECT,
  auth_time: SECONDS - 30,
  user_id: "uid-of-ada",
  sub: "uid-of-ada",
  iat: SECONDS,
  exp: SECONDS + 3_600,
  name: "Ada",
  email: "ada@example.com",
  email_verified: true,
  firebase: { identities: { email: ["ada@example.com"] }, sign_in_provider: "password" },
};

function sign(
  claims: Record<string, unknown> = {},
  header: { alg?: string; kid?: string } = {},
  key: CryptoKey = google,
): Promise<string> {
  return new SignJWT({ ...GOOD, ...claims })
    .setProtectedHeader({ alg: "RS256", kid: "google", typ: "JWT", ...header })
    .sign(key);
}

const unsigned = (claims: Record<string, unknown> = {}): string =>
  new UnsecuredJWT({ ...GOOD, ...claims }).encode();

describe("an ID token of Firebase", () => {
  it("names its person under the project's issuer, by keys that no discovery document leads to", async () => {
    expect(await verify(await sign())).toEqual({
      kind: "valid",
      claims: {
        issuer: ISSUER,
        subject: "uid-of-ada",
        email: "ada@example.com",
        emailVerified: true,
        name: "Ada",
        issuedAt: new Date(SECONDS * 1_000),
        authenticatedAt: new Date((SECONDS - 30) * 1_000),
      },
    });
    expect(asked).toEqual(["/keys"]);
    expect(await verify(await sign({ iat: SECONDS + 59, auth_time: SECONDS + 59 }))).toMatchObject({
      kind: "valid",
    });
  });

  it("is refused when anything about it is not Firebase's word for this project", async () => {
    const forgeries: Record<string, string | Promise<string>> = {
      "no signature": unsigned(),
      "no signature, with the header's name in capitals": unsigned().replace(
        /^[^.]*/,
        Buffer.from(JSON.stringify({ alg: "None" })).toString("base64url"),
      ),
      "the audience of another project": sign({ aud: "other-project" }),
      "the audience beside another": sign({ aud: [PROJECT, "other-project"] }),
      "the issuer of another project": sign({
        iss: "https://securetoken.google.com/other-project",
      }),
      "the issuer with more behind it": sign({ iss: `${ISSUER}/x` }),
      "Google's own issuer": sign({ iss: "https://accounts.google.com" }),
      "a key of another under the same name": sign({}, {}, stranger),
      "a key that is not published": sign({}, { kid: "stranger" }, stranger),
      "an algorithm that Firebase does not use": sign(
        {},
        { alg: "ES256", kid: "elliptic" },
        elliptic,
      ),
      "issued ahead of the leeway": sign({ iat: SECONDS + 61 }),
      "signed in ahead of the leeway": sign({ auth_time: SECONDS + 61 }),
      "no time of the sign-in": sign({ auth_time: undefined }),
      "a time of the sign-in that is a text": sign({ auth_time: String(SECONDS) }),
      "an empty subject": sign({ sub: "" }),
      "no subject": sign({ sub: undefined }),
      "no expiry": sign({ exp: undefined }),
    };
    const accepted: string[] = [];
    for (const [name, token] of Object.entries(forgeries)) {
      const verdict = await verify(await token);
      if (verdict.kind !== "refused" || verdict.reason !== "invalid") {
        accepted.push(name);
      }
    }
    expect(accepted).toEqual([]);
    expect(await verify(await sign({ exp: SECONDS - 61 }))).toMatchObject({ reason: "expired" });
  });
});

describe("a token of the emulator", () => {
  it("is a person of its own issuer in development, and none of the project", async () => {
    expect(isUnsignedToken(unsigned())).toBe(true);
    expect(await verifyInDevelopment(unsigned())).toMatchObject({
      kind: "valid",
      claims: { issuer: `firebase-emulator:${PROJECT}`, subject: "uid-of-ada" },
    });
    // What is signed is verified as ever.
    expect(isUnsignedToken(await sign())).toBe(false);
    expect(await verifyInDevelopment(await sign())).toMatchObject({
      claims: { issuer: ISSUER },
    });
    expect(await verifyInDevelopment(await sign({}, {}, stranger))).toMatchObject({
      kind: "refused",
    });
  });

  it("is still refused for another project, after its end, and with a signature cut off", async () => {
    const cutOff = (await sign()).replace(/[^.]*$/, "");
    const forgeries = [
      unsigned({ aud: "other-project" }),
      unsigned({ iss: "https://securetoken.google.com/other-project" }),
      unsigned({ iat: SECONDS + 61 }),
      unsigned({ auth_time: undefined }),
      cutOff,
    ];
    const verdicts = await Promise.all(forgeries.map(verifyInDevelopment));
    expect(verdicts.map((verdict) => verdict.kind)).toEqual(forgeries.map(() => "refused"));
    expect(await verifyInDevelopment(unsigned({ exp: SECONDS - 61 }))).toMatchObject({
      reason: "expired",
    });
  });
});
