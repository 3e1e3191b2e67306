import { createHash } from "node:crypto";
import type { SsoDeps } from "../sso.ports.ts";

const SECRET_BYTES = 32;

/** How a secret is stored. */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

export function drawSecret(deps: Pick<SsoDeps, "randomBytes">): string {
  return Buffer.from(deps.randomBytes(SECRET_BYTES)).toString("base64url");
}

/** SAML wants an XML name: it must not begin with a digit. */
export function toRequestId(nonce: string): string {
  return `_${nonce}`;
}
