import { ROLES, type RoleName } from "@turnpike/domain/access/scopes";
import {
  isId,
  type KeyId,
  type ServiceKeyId,
  SLUG_PATTERN,
  type TenantId,
  type UserId,
} from "@turnpike/domain/ids/ids";
import { findNameFault, toPlainName } from "@turnpike/domain/text/name-fault";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import { z } from "zod";
import { explainIssue } from "./explain-issue.ts";

// The default messages of all schemas here. Readers do not know what a validator is.
z.config({ customError: explainIssue });

function idOf<Id extends string>(kind: "tenant" | "user" | "key" | "serviceKey", example: string) {
  return z
    .custom<Id>((value) => typeof value === "string" && isId(kind, value), {
      error: `Not an id of this kind; it looks like ${example}.`,
    })
    .meta({ type: "string", examples: [example] });
}

export const tenantId = idOf<TenantId>("tenant", "ten_0199f3b0c1d27a4e8f60112233445566");
export const userId = idOf<UserId>("user", "usr_0199f3b0c1d27a4e8f60112233445566");
export const keyId = idOf<KeyId>("key", "key_0199f3b0c1d27a4e8f60112233445566");
export const serviceKeyId = idOf<ServiceKeyId>(
  "serviceKey",
  "svc_0199f3b0c1d27a4e8f60112233445566",
);

/** A role: a built-in one by its name, one that the tenant made by its id. */
export const roleName = z
  .custom<RoleName>(
    (value) =>
      typeof value === "string" &&
      ((ROLES as readonly string[]).includes(value) || isId("role", value)),
    { error: `Not a role: ${ROLES.join(", ")}, or the id of one that the tenant made.` },
  )
  .meta({ type: "string", examples: ["developer"] });

/** What people name for programs: plans, meters, coupons. */
export const slug = z
  .string()
  .regex(SLUG_PATTERN, "Lower-case letters, digits and dashes, starting with a letter.");

/**
 * An instant as ISO 8601. Offsets are converted to UTC. Answers are always in UTC, with milliseconds. Not before 1970, because
 * databases have no year 0.
 */
export const instant = z.iso
  .datetime({ abort: true, offset: true })
  .overwrite((value) => (value.endsWith("Z") ? value : new Date(value).toISOString()))
  .refine((value) => value >= "1970", "Not before 1970.");

const CONTROL = /\p{Cc}|\p{Bidi_Control}|\p{Surrogate}/u;

function refuseNameFault(options: { mayHoldAddress?: boolean } = {}) {
  return (name: string, context: z.core.$RefinementCtx<string>): void => {
    const message = findNameFault(name, options);
    if (message !== undefined) {
      context.addIssue({ code: "custom", message });
    }
  };
}

/** Text for programs: unchanged, and refused where a database cannot store it. */
export function plainText(lengthMax: number) {
  return z
    .string()
    .max(lengthMax, `At most ${String(lengthMax)} characters.`)
    .refine(isStorableText, "Must not contain NUL or broken characters.");
}

/** Text for people: trimmed, without control characters or marks that change the reading direction. */
export function displayText(lengthMax: number) {
  return z
    .string()
    .trim()
    .min(1, "Must not be empty.")
    .max(lengthMax, `At most ${String(lengthMax)} characters.`)
    .refine((value) => !CONTROL.test(value), "Must not contain control characters.");
}

/**
 * The name of something that others read: like text for people, without addresses, invisible characters and look-alike letters.
 * Other spaces and full-width letters become plain ones. Names that were given before stay as they are.
 *
 * @param options.mayHoldAddress - True for names that no mail shows to strangers, as of files and keys.
 */
export function displayName(lengthMax: number, options: { mayHoldAddress?: boolean } = {}) {
  return z
    .string()
    .overwrite(toPlainName)
    .trim()
    .min(1, "Must not be empty.")
    .max(lengthMax, { abort: true, error: `At most ${String(lengthMax)} characters.` })
    .superRefine(refuseNameFault(options));
}

/** A description next to a name, under the same rules; it may be empty. */
export function displayNote(lengthMax: number) {
  return plainText(lengthMax).overwrite(toPlainName).superRefine(refuseNameFault());
}

/** Paging of a list: `cursor` is the `nextCursor` of the previous page. */
export const pageQuery = {
  cursor: plainText(200).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
};

/** A page of a list. `nextCursor` is null on the last page. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), nextCursor: z.string().nullable() });
}
