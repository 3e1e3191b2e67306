import { Secret, TOTP } from "otpauth";

/** What every app understands (RFC 6238): SHA-1, six digits, thirty seconds. */
const PERIOD_SECONDS = 30;
const SETTINGS = { algorithm: "SHA1", digits: 6, period: PERIOD_SECONDS } as const;
/** As long as the hash (RFC 4226, section 4). */
export const TOTP_SECRET_BYTES = 20;
/** Steps before and after the present one whose codes are accepted: clocks differ, and typing takes a while. */
const WINDOW = 1;

const CODE = /^\d{6}$/;

/** @returns Base 32. */
export function toTotpSecret(bytes: Uint8Array): string {
  return new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32;
}

/** The address that an app reads from a QR code. */
export function toTotpUri(input: { secret: string; issuer: string; label: string }): string {
  const { secret, issuer, label } = input;
  return new TOTP({ ...SETTINGS, issuer, label, secret: Secret.fromBase32(secret) }).toString();
}

/** The digits of a code, typed with or without a space. @returns Undefined for any other text. */
export function parseTotpCode(text: string): string | undefined {
  const plain = text.replaceAll(/\s/g, "");
  return CODE.test(plain) ? plain : undefined;
}

/** The step of a right code, counted from 1970. @returns Undefined for a wrong one. */
export function findTotpStep(input: {
  secret: string;
  code: string;
  now: Date;
}): number | undefined {
  const timestamp = input.now.getTime();
  const totp = new TOTP({ ...SETTINGS, secret: Secret.fromBase32(input.secret) });
  const delta = totp.validate({ token: input.code, timestamp, window: WINDOW });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}
