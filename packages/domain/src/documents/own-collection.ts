/** What the name of a collection begins with that is seen by its owner alone. */
export const PRIVATE_PREFIX = "my-";

/** Behind the prefix of an id, such as the digits of `usr_0199…`. */
function bodyOf(id: string): string {
  return id.slice(id.indexOf("_") + 1);
}

/**
 * Names a collection that only one actor may see: `my-`, a purpose, and whose it is.
 *
 * Example: `analytics-views` and `usr_0199f3b0c1d27a4e8f60112233445566` give
 * `my-analytics-views-0199f3b0c1d27a4e8f60112233445566`.
 *
 * @param purpose - Lower-case letters, digits and dashes, at most 28.
 */
export function ownCollection(purpose: string, actorId: string): string {
  return `${PRIVATE_PREFIX}${purpose}-${bodyOf(actorId)}`;
}

/** What the names of all collections of an actor end with. */
export function ownSuffix(actorId: string): string {
  return `-${bodyOf(actorId)}`;
}

/** True for a collection that every member shares, and for one's own. */
export function mayUseCollection(actorId: string, collection: string): boolean {
  return !collection.startsWith(PRIVATE_PREFIX) || collection.endsWith(ownSuffix(actorId));
}
