import { findNameFault, toPlainName } from "./name-fault.ts";
import { toPlainLine } from "./plain-text.ts";

const LENGTH_MAX = 200;

/**
 * Reads the name of a person as another system gives it. No one is kept out over a name, so a faulty one is left out: others then see
 * the person's address.
 *
 * @returns At most 200 UTF-16 units; null for an empty or faulty name.
 */
export function toPersonName(text: string): string | null {
  const name = toPlainLine(toPlainName(text), LENGTH_MAX);
  return name === "" || findNameFault(name) !== undefined ? null : name;
}
