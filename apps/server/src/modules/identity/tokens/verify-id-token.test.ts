import { createHmac, KeyObject, sign as signBytes } from "node:crypto";
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { createPublishedKeys } from "./published-keys.ts";
import type { TokenVerdict } from "./token-claims.ts";
import { createTokenVerifier, isIdToken } from "./verify-id-token.ts";

const ISSUER = "https://id.example.com";
const CLIENT = "console";
const NOW = new Date("2026-01-15T10:00:00.000Z");
const SECONDS = NOW.getTime() / 1_000;

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

let rsa: Pair;
let ec: Pair;
let ed: Pair;
let stranger: Pair;
let rsaPem: string;
let published: JWK[];
let verify: (token: string) => Promise<TokenVerdict>;

async function publish(pair: Pair, kid: string, extra: JWK): Promise<JWK> {
  return { ...(await exportJWK(pair.publicKey)), kid, use: "sig", ...extra };
}

beforeAll(async () => {
  [rsa, ec, ed, stranger] = await Promise.all([
    generateKeyPair("RS256", { extractable: true }),
    generateKeyPair("ES256", { extractable: true }),
    generateKeyPair("EdDSA", { extractable: true }),
    generateKeyPair("ES256", { extractable: true }),
  ]);
  rsaPem = await exportSPKI(rsa.publicKey);
  published = [
    await publish(rsa, "rsa", {}),
    await publish(ec, "ec", { alg: "ES256" }),
    await publish(ed, "ed", {}),
    // Must never be used to verify: published by mistake, or for another purpose.
    { kty: "oct", kid: "oct", k: Buffer.from("a secret that was published").toString("base64url") },
    { ...(await publish(stranger, "for-encryption", {})), use: "enc" },
  ];
  const keys = createPublishedKeys(() => published);
  verify = createTokenVerifier({
    clock: { now: () => NOW },
    issuers: [
      { issuer: ISSUER, storedAs: "stored", clientId: CLIENT, findKey: keys },
      {
        issuer: "https://other.example.com",
        storedAs: "other",
        clientId: "other-client",
        findKey: createPublishedKeys(() => []),
      },
    ],
  });
});

const GOOD: JWTPayload = {
  iss: ISSUER,
  aud: CLIENT,
  sub: "person-1",
  iat: SECONDS,
  exp: SECONDS + 900,
  email: "ada@example.com",
  email_verified: true,
  name: "Ada",
};

function sign(
  payload: JWTPayload = GOOD,
  header: Record<string, unknown> = {},
  key: CryptoKey = ec.privateKey as CryptoKey,
): Promise<string> {
  return new SignJWT(payload)
    .setProtectedHeader({ alg: "ES256", kid: "ec", typ: "JWT", ...header })
    .sign(key, { crit: { "https://example.com/critical": true } });
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

/** Signs what no library would sign. */
function signWithSecret(header: object, payload: object, secret: string | Buffer): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

/** The claims without one of them. */
function without(name: string): JWTPayload {
  return Object.fromEntries(Object.entries(GOOD).filter(([claim]) => claim !== name));
}

describe("a token of a trusted issuer", () => {
  it.each([
    ["ES256", () => sign()],
    ["RS256", () => sign(GOOD, { alg: "RS256", kid: "rsa" }, rsa.privateKey as CryptoKey)],
    ["PS512", async () => await signPss()],
    ["EdDSA", () => sign(GOOD, { alg: "EdDSA", kid: "ed" }, ed.privateKey as CryptoKey)],
    ["no type", () => sign(GOOD, { typ: undefined })],
    ["an audience of one in a list", () => sign({ ...GOOD, aud: [CLIENT] })],
    ["several audiences, made for us", () => sign({ ...GOOD, aud: [CLIENT, "api"], azp: CLIENT })],
    ["expired within the skew of clocks", () => sign({ ...GOOD, exp: SECONDS - 59 })],
    ["issued ahead within the skew", () => sign({ ...GOOD, iat: SECONDS + 59 })],
    ["not before, within the skew", () => sign({ ...GOOD, nbf: SECONDS + 59 })],
  ])("is valid: %s", async (_, make) => {
    expect(await verify(await make())).toEqual({
      kind: "valid",
      claims: {
        issuer: "stored",
        subject: "person-1",
        email: "ada@example.com",
        emailVerified: true,
        name: "Ada",
        issuedAt: expect.any(Date),
      },
    });
  });

  async function signPss(): Promise<string> {
    const { importJWK } = await import("jose");
    const key = await importJWK(await exportJWK(rsa.privateKey), "PS512");
    return sign(GOOD, { alg: "PS512", kid: "rsa" }, key as CryptoKey);
  }

  const read = async (claims: Record<string, unknown>) => {
    const verdict = await verify(await sign({ ...GOOD, ...claims }));
    return verdict.kind === "valid" ? verdict.claims : expect.fail("refused");
  };

  it("leaves out a name that could pose as an address or another's name", async () => {
    for (const name of ["ada@example.test", "Win at evil.com", "P\u0430ypal", "Ac\u200bme"]) {
      expect(await read({ name })).toMatchObject({ name: null });
    }
  });

  it("gives e-mail and name as claims, sanitised and only if well-formed", async () => {
    expect(await read({ name: "A\u202Eda\r\nBcc: x\u0000" })).toMatchObject({ name: "Ada Bcc: x" });
    expect(await read({ name: "山田\u3000Ｔａｒｏ" })).toMatchObject({ name: "山田 Taro" });
    expect(await read({ name: "Тарас" })).toMatchObject({ name: "Тарас" });
    expect((await read({ name: "x".repeat(10_000) })).name).toHaveLength(200);
    expect(await read({ name: { first: "Ada" } })).toMatchObject({ name: null });
    expect(await read({ name: " \u200e " })).toMatchObject({ name: null });
    expect(await read({ email: "no address" })).toMatchObject({
      email: null,
      emailVerified: false,
    });
    expect(await read({ email: ["a@example.com"] })).toMatchObject({ email: null });
    for (const word of ["true", "false", 1, null, undefined]) {
      expect(await read({ email_verified: word })).toMatchObject({ emailVerified: false });
    }
  });
});

type Forgery = [name: string, make: () => string | Promise<string>];

const FORGERIES: Forgery[] = [
  ["no token at all", () => "garbage"],
  ["three empty parts", () => ".."],
  ["a header that is not JSON", () => "aGk.aGk.aGk"],
  ["alg none without a signature", () => new UnsecuredJWT(GOOD).encode()],
  ["alg NONE", () => `${encode({ alg: "NONE" })}.${encode(GOOD)}.`],
  [
    "alg none with a signature of another token",
    async () => {
      const signature = (await sign()).split(".")[2];
      return `${encode({ alg: "none", kid: "ec" })}.${encode(GOOD)}.${signature}`;
    },
  ],
  ["no alg", () => signWithSecret({ kid: "ec" }, GOOD, "secret")],
  [
    "HS256 with the public RSA key in PEM as the secret",
    () => signWithSecret({ alg: "HS256", kid: "rsa" }, GOOD, rsaPem),
  ],
  [
    "HS256 with the trimmed PEM",
    () => signWithSecret({ alg: "HS256", kid: "rsa" }, GOOD, rsaPem.trim()),
  ],
  [
    "HS256 with the public JWK as the secret",
    () => signWithSecret({ alg: "HS256", kid: "ec" }, GOOD, JSON.stringify(published[1])),
  ],
  [
    "HS256 with a symmetric key that was published",
    () => signWithSecret({ alg: "HS256", kid: "oct" }, GOOD, "a secret that was published"),
  ],
  [
    "RS256 with the kid of the EC key",
    () => sign(GOOD, { alg: "RS256", kid: "ec" }, rsa.privateKey as CryptoKey),
  ],
  ["ES256 with the kid of the RSA key", () => sign(GOOD, { kid: "rsa" })],
  [
    "ES256 under the name EdDSA",
    async () => {
      const [, payload, signature] = (await sign()).split(".");
      return `${encode({ alg: "EdDSA", kid: "ec" })}.${payload}.${signature}`;
    },
  ],
  [
    "a key published for encryption",
    () => sign(GOOD, { kid: "for-encryption" }, stranger.privateKey as CryptoKey),
  ],
  ["a stranger's key under a known kid", () => sign(GOOD, {}, stranger.privateKey as CryptoKey)],
  ["an unknown kid", () => sign(GOOD, { kid: "unknown" })],
  [
    "a kid that is a path",
    () => sign(GOOD, { kid: "../../../../dev/null" }, stranger.privateKey as CryptoKey),
  ],
  [
    "a kid that is SQL",
    () => sign(GOOD, { kid: "' union select 'x" }, stranger.privateKey as CryptoKey),
  ],
  [
    "the stranger's own key in the header (jwk)",
    async () =>
      sign(
        GOOD,
        { kid: undefined, jwk: await exportJWK(stranger.publicKey) },
        stranger.privateKey as CryptoKey,
      ),
  ],
  [
    "an address of keys in the header (jku)",
    () =>
      sign(GOOD, { kid: "x", jku: "https://evil.example/jwks" }, stranger.privateKey as CryptoKey),
  ],
  [
    "an address of certificates in the header (x5u)",
    () => sign(GOOD, { kid: "x", x5u: "https://evil.example/x" }, stranger.privateKey as CryptoKey),
  ],
  [
    "an unknown critical extension",
    () => sign(GOOD, { crit: ["https://example.com/critical"], "https://example.com/critical": 1 }),
  ],
  [
    "an unencoded payload (b64)",
    () => {
      const text = `${encode({ alg: "ES256", kid: "ec", b64: false, crit: ["b64"] })}.{}`;
      const key = {
        key: KeyObject.from(ec.privateKey as CryptoKey),
        dsaEncoding: "ieee-p1363" as const,
      };
      return `${text}.${signBytes("sha256", Buffer.from(text), key).toString("base64url")}`;
    },
  ],
  [
    "a payload that was changed",
    async () => {
      const [header, , signature] = (await sign()).split(".");
      return `${header}.${encode({ ...GOOD, sub: "person-2" })}.${signature}`;
    },
  ],
  [
    "a header that was changed",
    async () => {
      const [, payload, signature] = (await sign()).split(".");
      return `${encode({ alg: "ES256", kid: "ec", typ: "jwt" })}.${payload}.${signature}`;
    },
  ],
  ["a signature that was cut off", async () => (await sign()).replace(/\.[^.]*$/, ".")],
  [
    "a signature of zeros (CVE-2022-21449)",
    async () => (await sign()).replace(/[^.]*$/, Buffer.alloc(64).toString("base64url")),
  ],
  ["a fourth part", async () => `${await sign()}.x`],
  ["an untrusted issuer", () => sign({ ...GOOD, iss: "https://evil.example.com" })],
  ["a trusted issuer with an extra slash", () => sign({ ...GOOD, iss: `${ISSUER}/` })],
  ["a trusted issuer in capitals", () => sign({ ...GOOD, iss: ISSUER.toUpperCase() })],
  ["no issuer", () => sign(without("iss"))],
  ["the name that a trusted issuer is stored under", () => sign({ ...GOOD, iss: "stored" })],
  [
    "another trusted issuer's name, signed by this one",
    () => sign({ ...GOOD, iss: "https://other.example.com", aud: "other-client" }),
  ],
  ["another audience", () => sign({ ...GOOD, aud: "another-client" })],
  ["an audience that begins alike", () => sign({ ...GOOD, aud: `${CLIENT}-2` })],
  ["no audience", () => sign(without("aud"))],
  [
    "several audiences, for none of them in particular",
    () => sign({ ...GOOD, aud: [CLIENT, "api"] }),
  ],
  [
    "several audiences, made for another",
    () => sign({ ...GOOD, aud: [CLIENT, "api"], azp: "api" }),
  ],
  ["one audience, made for another", () => sign({ ...GOOD, azp: "api" })],
  ["issued ahead of time", () => sign({ ...GOOD, iat: SECONDS + 61 })],
  ["not valid yet", () => sign({ ...GOOD, nbf: SECONDS + 61 })],
  ["no expiry", () => sign(without("exp"))],
  ["an expiry that is a text", () => sign({ ...GOOD, exp: "tomorrow" as never })],
  ["no time of issue", () => sign(without("iat"))],
  [
    "older than a day, with years to go",
    () => sign({ ...GOOD, iat: SECONDS - 25 * 3_600, exp: SECONDS + 10 ** 9 }),
  ],
  ["no subject", () => sign(without("sub"))],
  ["an empty subject", () => sign({ ...GOOD, sub: "" })],
  ["a subject that is a number", () => sign({ ...GOOD, sub: 1 as never })],
  ["a subject of 256 characters", () => sign({ ...GOOD, sub: "s".repeat(256) })],
  ["a subject with NUL", () => sign({ ...GOOD, sub: "a\u0000b" })],
  ["an access token (typ at+jwt)", () => sign(GOOD, { typ: "at+jwt" })],
  ["a logout token (typ logout+jwt)", () => sign(GOOD, { typ: "logout+jwt" })],
];

describe("a forged token", () => {
  it.each(FORGERIES)("is refused: %s", async (_, make) => {
    const verdict = await verify(await make());
    expect(verdict).toMatchObject({ kind: "refused", reason: "invalid" });
  });

  it("is distinguished from an expired token, and from nothing else", async () => {
    const expired = await verify(await sign({ ...GOOD, exp: SECONDS - 61 }));
    expect(expired).toMatchObject({ kind: "refused", reason: "expired" });
    // The signature is checked first: a stranger does not learn when a token would have been valid.
    const forged = await sign({ ...GOOD, exp: SECONDS - 61 }, {}, stranger.privateKey as CryptoKey);
    expect(await verify(forged)).toMatchObject({ reason: "invalid" });
  });
});

describe("isIdToken", () => {
  it("distinguishes tokens from keys by their form", async () => {
    expect(isIdToken(await sign())).toBe(true);
    for (const other of ["tp_svc_abc", "tp_live_a.b", "a.b.c.d", "", "a b.c.d"]) {
      expect(isIdToken(other)).toBe(false);
    }
  });
});
