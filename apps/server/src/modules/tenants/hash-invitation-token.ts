import { createHash } from "node:crypto";

export function hashInvitationToken(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}
