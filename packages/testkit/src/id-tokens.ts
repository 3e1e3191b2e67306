import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";

/** What a token says beside what every token says. Left out: a new person, with a verified address. */
export type TestPerson = {
  subject?: string;
  email?: string | null;
  emailVerified?: boolean;
  name?: string | null;
  /** Before now, milliseconds. */
  issuedAgoMs?: number;
  /** When they signed in, before now, milliseconds. Left out: when the token was issued. */
  signedInAgoMs?: number;
  /** Further claims, such as `nonce` and `amr`. */
  claims?: JWTPayload;
};

/** An issuer whose key the test has. */
export type TestIssuer = {
  issuer: string;
  clientId: string;
  publicKeys(): readonly JWK[];
  /** Signs a token of 15 minutes. */
  mintIdToken(person?: TestPerson): Promise<string>;
  /** Signs any payload, for tokens that must be refused. */
  sign(payload: JWTPayload, header?: Record<string, unknown>): Promise<string>;
};

const LIFETIME_SECONDS = 15 * 60;

let people = 0;

/**
 * Makes an issuer of ES256 tokens, as the built-in provider issues them.
 *
 * @param now - The clock of the verifier.
 */
export async function createTestIssuer(input: {
  issuer: string;
  clientId: string;
  now: () => Date;
}): Promise<TestIssuer> {
  const { issuer, clientId } = input;
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const kid = "test-key";
  const keys: readonly JWK[] = [{ ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" }];

  function sign(payload: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
    return new SignJWT(payload)
      .setProtectedHeader({ alg: "ES256", typ: "JWT", kid, ...header })
      .sign(privateKey);
  }

  return {
    issuer,
    clientId,
    publicKeys: () => keys,
    sign,
    mintIdToken(person = {}) {
      people += 1;
      const subject = person.subject ?? `person-${String(people)}`;
      const email = person.email === undefined ? `${subject}@example.com` : person.email;
      const name = person.name === undefined ? subject : person.name;
      const issuedAt = Math.floor((input.now().getTime() - (person.issuedAgoMs ?? 0)) / 1_000);
      return sign({
        iss: issuer,
        aud: clientId,
        sub: subject,
        iat: issuedAt,
        exp: issuedAt + LIFETIME_SECONDS,
        auth_time:
          person.signedInAgoMs === undefined
            ? issuedAt
            : Math.floor((input.now().getTime() - person.signedInAgoMs) / 1_000),
        ...(email === null ? {} : { email, email_verified: person.emailVerified ?? true }),
        ...(name === null ? {} : { name }),
        ...person.claims,
      });
    },
  };
}
