import type { Tx } from "@turnpike/db/client";
import type { Language } from "@turnpike/domain/text/languages";

/**
 * The language that the person with an address chose, as a part of a query; null when there is none, or they chose none. Of several
 * with one address, the person who has proven it counts. Needs the operator role.
 */
export function languageOfReader(tx: Tx, address: string) {
  return tx`(
    select language from users where lower(email) = ${address.toLowerCase()} and language is not null
    order by email_verified desc, user_id limit 1)`;
}

/** The same by itself. */
export async function findReaderLanguage(tx: Tx, address: string): Promise<Language | null> {
  const [row] = await tx<{ language: Language | null }[]>`
    select ${languageOfReader(tx, address)} as language`;
  return row?.language ?? null;
}
