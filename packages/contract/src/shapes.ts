import {
  isId,
  type KeyId,
  type ServiceKeyId,
  type TenantId,
  type UserId,
} from "@turnpike/domain/ids/ids";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import { z } from "zod";
import { explainIssue } from "./explain-issue.ts";

// For every schema of the product that has no words of its own: what is said is for people who know no validator.
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

/**
 * An instant as ISO 8601. One with an offset is turned into UTC, which is what all answers say, with milliseconds. Not before
 * 1970: databases have no year 0.
 */
export const instant = z.iso
  .datetime({ abort: true, offset: true })
  .overwrite((value) => (value.endsWith("Z") ? value : new Date(value).toISOString()))
  .refine((value) => value >= "1970", "Not before 1970.");

const CONTROL = /\p{Cc}|\p{Bidi_Control}|\p{Surrogate}/u;

/** Text that only programs read: as it is, but for what a database cannot hold. */
export function plainText(lengthMax: number) {
  return z
    .string()
    .max(lengthMax, `At most ${String(lengthMax)} characters.`)
    .refine(isStorableText, "Must not contain NUL or broken characters.");
}

/** Text that people read: trimmed, without control characters or marks that turn the reading direction. */
export function displayText(lengthMax: number) {
  return z
    .string()
    .trim()
    .min(1, "Must not be empty.")
    .max(lengthMax, `At most ${String(lengthMax)} characters.`)
    .refine((value) => !CONTROL.test(value), "Must not contain control characters.");
}

/** How a list is paged: `cursor` is what the page before answered as `nextCursor`. */
export const pageQuery = {
  cursor: plainText(200).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
};

/** A page of a list. `nextCursor` is null on the last page. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), nextCursor: z.string().nullable() });
}
