import { createHash } from "node:crypto";

/** What is stored of a code or token: it opens something, so the database has its hash alone. */
export function hashCredential(kind: "device" | "user-code" | "token", text: string): Buffer {
  return createHash("sha256").update(`${kind}\n${text}`).digest();
}
