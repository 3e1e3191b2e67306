import { BULK_KEYS_MAX } from "@turnpike/domain/keys/bulk-keys-max";
import { z } from "zod";
import { key } from "./keys.ts";
import { operation } from "./operation.ts";
import { instant, keyId, tenantId } from "./shapes.ts";

/** The actions of a bulk change. */
export const keyChange = z.discriminatedUnion("action", [
  z.strictObject({ action: z.literal("disable") }),
  z.strictObject({ action: z.literal("enable") }),
  z.strictObject({ action: z.literal("revoke") }),
  /** Null for no expiry. */
  z.strictObject({ action: z.literal("set_expiry"), expiresAt: instant.nullable() }),
]);
export type KeyChange = z.infer<typeof keyChange>;

export const changeKeysRequest = z.strictObject({
  tenantId,
  keyIds: z
    .array(keyId)
    .min(1, "No keys.")
    .max(BULK_KEYS_MAX, `At most ${String(BULK_KEYS_MAX)} keys in a call.`)
    .refine((ids) => new Set(ids).size === ids.length, "A key is listed twice."),
  change: keyChange,
});
export type ChangeKeysRequest = z.infer<typeof changeKeysRequest>;

/** `unchanged`: the key was already in that state, and nothing is recorded. */
export const CHANGE_STATUSES = ["changed", "unchanged", "refused"] as const;

export const changedKey = z.strictObject({
  keyId,
  status: z.enum(CHANGE_STATUSES),
  /** The key after the change; null if it was refused. */
  key: key.nullable(),
  /** Why it was refused. */
  error: z
    .strictObject({
      code: z.enum(["RESOURCE_NOT_FOUND", "CONFLICT", "INSUFFICIENT_SCOPE"]),
      message: z.string(),
    })
    .nullable(),
});
export type ChangedKey = z.infer<typeof changedKey>;

export const changeKeysResponse = z.strictObject({
  changed: z.int(),
  unchanged: z.int(),
  refused: z.int(),
  /** One for each key, in the order of the request. */
  items: z.array(changedKey),
});
export type ChangeKeysResponse = z.infer<typeof changeKeysResponse>;

export const keyScopes = z.strictObject({
  /** For managing the tenant. */
  management: z.array(z.string()),
  /** Scopes of the operator's own API that the tenant's plan allows. */
  custom: z.array(z.string()),
});
export type KeyScopes = z.infer<typeof keyScopes>;

const tags = ["Keys"];

export const keyBulkContract = {
  change: operation({ scope: "keys:write", worksWhenFull: "overdraft", changesEach: "keyIds" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/keys/bulk",
      summary: "Disable, enable, revoke or set the expiry of many keys. Idempotent",
      description:
        "All keys change in one transaction. A refused key (of another tenant, or revoked) does not hold up the others.",
      tags,
    })
    .input(changeKeysRequest)
    .output(changeKeysResponse),
  listScopes: operation({ scope: "keys:read" })
    .route({
      method: "GET",
      path: "/tenants/{tenantId}/key-scopes",
      summary: "List the scopes that keys of the tenant may carry",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(keyScopes),
};
