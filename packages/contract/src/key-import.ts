import { parseKeyHash } from "@turnpike/domain/keys/key-hash";
import { parseInstant } from "@turnpike/domain/time/parse-instant";
import { z } from "zod";
import { createKeyRequest } from "./keys.ts";
import { operation } from "./operation.ts";
import { instant, keyId, plainText, tenantId } from "./shapes.ts";

/** The most rows of one call. */
export const IMPORT_ROWS_MAX = 1_000;

/**
 * The answer for every refused hash, for any reason, so that it does not reveal whether another tenant holds the key.
 */
export const HASH_REFUSED =
  "This hash cannot be imported. It must be the SHA-256 (no other algorithm) of a key that does not exist here yet, as 64 hexadecimal digits or in base64.";

/** It tells nothing of other tenants: the hash alone decides. */
export const HASH_OF_PLACEHOLDER =
  "This is the hash of a placeholder, a sample, or a short or common text. Clients send such texts by mistake, so only the operator may import it.";

const keyHash = z.string({ error: HASH_REFUSED }).transform((text, context) => {
  const hash = parseKeyHash(text);
  if (hash === undefined) {
    context.addIssue({ code: "custom", message: HASH_REFUSED });
    return z.NEVER;
  }
  return hash;
});

/** A fragment of a key that may be shown, short enough to keep the rest secret. */
const hint = (lengthMax: number) =>
  z
    .string()
    .regex(/^[\x21-\x7e]*$/, "Visible ASCII characters only.")
    .max(lengthMax, {
      error: `At most ${String(lengthMax)} characters: a longer fragment could give the key away.`,
    });

/** As on the command line: import tables hold days more often than instants. */
const dayOrInstant = z
  .string()
  .transform((text, context) => {
    const parsed = parseInstant(text);
    if ("instant" in parsed) {
      return parsed.instant;
    }
    context.addIssue({ code: "custom", message: `${parsed.fault}.` });
    return z.NEVER;
  })
  .pipe(instant);

/** A key from another system. */
export const importKeyRow = z.strictObject({
  hash: keyHash,
  name: createKeyRequest.shape.name,
  environment: createKeyRequest.shape.environment,
  start: hint(12).default(""),
  lastFour: hint(4).default(""),
  scopes: createKeyRequest.shape.scopes,
  expiresAt: dayOrInstant.nullish(),
  metadata: createKeyRequest.shape.metadata,
  /** The id of the key in that system; kept as `externalId` in its metadata. */
  externalId: plainText(200).min(1, "Must not be empty.").optional(),
});
export type ImportKeyRow = z.output<typeof importKeyRow>;

export const importKeysRequest = z.strictObject({
  tenantId,
  /** Checks everything and answers as if it were done, but changes nothing. */
  dryRun: z.boolean().default(false),
  /** Checked one by one, so that a mistake in one does not hold up the others. */
  rows: z
    .array(z.unknown())
    .min(1, "No rows.")
    .max(IMPORT_ROWS_MAX, `At most ${String(IMPORT_ROWS_MAX)} rows in a call.`)
    .meta({
      description:
        "Keys by their hashes: `hash` (SHA-256 of the key's text, hexadecimal or base64) and `name`; optionally `environment`, `start` (at most 12 characters) and `lastFour` to show, `scopes`, `expiresAt`, `metadata`, `externalId`. A tenant's key and members cannot import hashes of placeholders, samples, and short or common texts.",
      examples: [
        [
          {
            hash: "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
            name: "production",
          },
        ],
      ],
    }),
});
export type ImportKeysRequest = z.output<typeof importKeysRequest>;

/** `exists`: the tenant already has the key, from an earlier call or row. It stays as it is. */
export const IMPORT_STATUSES = ["imported", "exists", "refused"] as const;

export const importedRow = z.strictObject({
  status: z.enum(IMPORT_STATUSES),
  /** Null for a refused row, and in a dry run for a key that does not exist yet. */
  keyId: keyId.nullable(),
  /** Why it was refused, as JSON pointers into the row. */
  errors: z.array(z.strictObject({ pointer: z.string(), message: z.string() })),
});
export type ImportedRow = z.infer<typeof importedRow>;

export const importKeysResponse = z.strictObject({
  dryRun: z.boolean(),
  imported: z.int(),
  existing: z.int(),
  refused: z.int(),
  /** One for each row, in order. */
  items: z.array(importedRow),
});
export type ImportKeysResponse = z.infer<typeof importKeysResponse>;

export const keyImportContract = {
  import: operation({ scope: "keys:write", largeBody: true })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/keys/import",
      summary:
        "Import existing keys by their hashes. Idempotent: importing the same rows again changes nothing",
      tags: ["Keys"],
    })
    .input(importKeysRequest)
    .output(importKeysResponse),
};
