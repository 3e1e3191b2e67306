/** A NUL, or half of a surrogate pair: PostgreSQL holds neither, in text or in JSON. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** True when a text can be stored as it is: it has no NUL and no broken character. */
export function isStorableText(text: string): boolean {
  return !UNSTORABLE.test(text);
}
