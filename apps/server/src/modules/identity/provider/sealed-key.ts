import { hkdfSync } from "node:crypto";
import {
  CompactEncrypt,
  calculateJwkThumbprint,
  compactDecrypt,
  exportJWK,
  generateKeyPair,
  type JWK,
} from "jose";
import { z } from "zod";
import type { SigningKeyRow } from "./signing-keys.store.ts";

/** A private key. It is in memory, and in the database only encrypted. */
export type SigningKey = { kid: string; privateJwk: JWK; publicJwk: JWK; signsFrom: Date };

type SealedKey = Pick<SigningKeyRow, "kid" | "public_jwk" | "private_jwe">;

const ALGORITHM = "ES256";

const publicJwkSchema = z.object({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
});
const privateJwkSchema = publicJwkSchema.extend({ d: z.string() });

function derive(secret: string, purpose: string, bytes: number): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", `turnpike signing keys: ${purpose}`, bytes));
}

/** Identifies a secret without revealing anything about it. */
export function toSecretId(secret: string): string {
  return Buffer.from(derive(secret, "name", 12)).toString("base64url");
}

/** Creates a key pair with an encrypted private half (JWE, `dir` with A256GCM). */
export async function createSealedKey(secret: string): Promise<SealedKey> {
  const pair = await generateKeyPair(ALGORITHM, { extractable: true });
  const kid = await calculateJwkThumbprint(pair.publicKey);
  const plain = new TextEncoder().encode(JSON.stringify(await exportJWK(pair.privateKey)));
  const jwe = await new CompactEncrypt(plain)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid })
    .encrypt(derive(secret, "encryption", 32));
  const publicJwk = publicJwkSchema.parse(await exportJWK(pair.publicKey));
  return { kid, public_jwk: publicJwk, private_jwe: jwe };
}

/** The public half, as it is published. */
export function toPublicJwk(row: Pick<SigningKeyRow, "kid" | "public_jwk">): JWK {
  return { ...publicJwkSchema.parse(row.public_jwk), kid: row.kid, alg: ALGORITHM, use: "sig" };
}

/** @throws If it was encrypted with another secret, or modified. */
export async function openSealedKey(secret: string, row: SigningKeyRow): Promise<SigningKey> {
  const { plaintext } = await compactDecrypt(row.private_jwe, derive(secret, "encryption", 32), {
    keyManagementAlgorithms: ["dir"],
    contentEncryptionAlgorithms: ["A256GCM"],
  });
  const publicJwk = toPublicJwk(row);
  const { d } = privateJwkSchema.parse(JSON.parse(new TextDecoder().decode(plaintext)));
  return { kid: row.kid, privateJwk: { ...publicJwk, d }, publicJwk, signsFrom: row.signs_from };
}
