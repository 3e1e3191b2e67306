import type { TENANT_KEY_SCOPES } from "../access/scopes.ts";

/**
 * Scopes of keys each use of which leaves an entry in the audit trail, with the nouns of these entries. Of all others a use leaves
 * nothing to tell by: reading, verifying, and scopes of the operator's own API.
 */
export const TRACED_SCOPES = [
  { scope: "keys:write", nouns: ["key", "keys"] },
  { scope: "files:write", nouns: ["file"] },
  { scope: "webhooks:write", nouns: ["webhook"] },
] as const satisfies readonly { scope: (typeof TENANT_KEY_SCOPES)[number]; nouns: string[] }[];
