import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { z } from "zod";
import type { PasskeyRow } from "./factors.store.ts";

const base64url = (charactersMax: number) =>
  z
    .string()
    .min(1)
    .max(charactersMax)
    .regex(/^[\w-]+$/, "Not base64url.");

const credential = {
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal("public-key"),
  // Nothing of these is read.
  clientExtensionResults: z.unknown().transform(() => ({})),
};

/** What a browser answers to a request for a passkey; the rest of it is dropped. */
export const passkeyAnswer = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(4_096),
    authenticatorData: base64url(2_048),
    signature: base64url(2_048),
    userHandle: base64url(128).optional(),
  }),
});
export type PasskeyAnswer = z.infer<typeof passkeyAnswer>;

const TRANSPORTS = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"] as const;

/** What a browser answers when it has made a passkey. */
export const newPasskey = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(4_096),
    attestationObject: base64url(8_192),
    transports: z.array(z.enum(TRANSPORTS).catch("internal")).max(10).default([]),
  }),
});
export type NewPasskey = z.infer<typeof newPasskey>;

export const CHALLENGE_BYTES = 32;
/** ES256, EdDSA, RS256 (COSE): every authenticator knows one of them. */
const ALGORITHMS = [-7, -8, -257];

/** For which site passkeys are: never from a request. */
export type PasskeySite = { rpId: string; origin: string; name: string };

/** @param consoleUrl - Public address of the console. */
export function toPasskeySite(consoleUrl: string, name: string): PasskeySite {
  const { hostname, origin } = new URL(consoleUrl);
  return { rpId: hostname, origin, name };
}

/** The id of the account as a passkey keeps it, to say whose it is without an address. */
function toUserHandle(accountId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(accountId, "utf8"));
}

function toDescriptors(passkeys: readonly PasskeyRow[]) {
  return passkeys.map(({ credential_id: id, transports }) => ({ id, transports }));
}

export async function toCreationOptions(
  site: PasskeySite,
  input: {
    challenge: Uint8Array;
    account: { account_id: string; email: string; name: string | null };
    passkeys: readonly PasskeyRow[];
    timeoutMs: number;
  },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { account } = input;
  return await generateRegistrationOptions({
    rpName: site.name,
    rpID: site.rpId,
    userName: account.email,
    userDisplayName: account.name ?? account.email,
    userID: toUserHandle(account.account_id),
    challenge: new Uint8Array(input.challenge),
    timeout: input.timeoutMs,
    // Which maker an authenticator is of is none of our business.
    attestationType: "none",
    excludeCredentials: toDescriptors(input.passkeys),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** @param input.passkeys - Those that may answer; none: any that the person has here. */
export async function toRequestOptions(
  site: PasskeySite,
  input: { challenge: Uint8Array; passkeys: readonly PasskeyRow[]; timeoutMs: number },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return await generateAuthenticationOptions({
    rpID: site.rpId,
    challenge: new Uint8Array(input.challenge),
    timeout: input.timeoutMs,
    allowCredentials: toDescriptors(input.passkeys),
    userVerification: "required",
  });
}

/** @returns Undefined for one that does not answer the challenge, is of another site, or verified no one. */
export async function verifyNewPasskey(
  site: PasskeySite,
  input: { challenge: string; answer: NewPasskey },
): Promise<
  Pick<PasskeyRow, "credential_id" | "public_key" | "counter" | "transports"> | undefined
> {
  const { answer } = input;
  // The library throws for each kind of wrong answer; all of them are refused alike.
  const verified = await verifyRegistrationResponse({
    response: answer,
    expectedChallenge: input.challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined);
  if (verified?.verified !== true) {
    return;
  }
  const { id, publicKey, counter } = verified.registrationInfo.credential;
  const transports = [...new Set(answer.response.transports)];
  return { credential_id: id, public_key: publicKey, counter, transports };
}

/**
 * Verifies the answer of a passkey.
 *
 * @returns The count of its signatures, which the caller compares with the last one; undefined for a wrong answer.
 */
export async function verifyPasskeyAnswer(
  site: PasskeySite,
  input: { challenge: string; answer: PasskeyAnswer; passkey: PasskeyRow },
): Promise<number | undefined> {
  const { answer, passkey } = input;
  const handle = answer.response.userHandle;
  if (handle !== undefined && handle !== toHandleText(passkey.account_id)) {
    return;
  }
  const { userHandle: _unused, ...response } = answer.response;
  const verified = await verifyAuthenticationResponse({
    response: { ...answer, response },
    expectedChallenge: input.challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    requireUserVerification: true,
    // The count is compared when it is stored, in one statement.
    credential: { id: passkey.credential_id, publicKey: passkey.public_key, counter: 0 },
  }).catch(() => undefined);
  return verified?.verified === true ? verified.authenticationInfo.newCounter : undefined;
}

function toHandleText(accountId: string): string {
  return Buffer.from(toUserHandle(accountId)).toString("base64url");
}
