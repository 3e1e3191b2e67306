/** The prefix of a collection that only its owner may see. */
export const PRIVATE_PREFIX = "my-";

/** What follows the prefix of an id, such as the digits of `usr_0199…`. */
function bodyOf(id: string): string {
  return id.slice(id.indexOf("_") + 1);
}

/**
 * Names a collection that only one actor may see: `my-`, a purpose, and the actor.
 *
 * Example: `analytics-views` and `usr_0199f3b0c1d27a4e8f60112233445566` give
 * `my-analytics-views-0199f3b0c1d27a4e8f60112233445566`.
 *
 * @param purpose - Lower-case letters, digits and dashes, at most 28.
 */
export function ownCollection(purpose: string, actorId: string): string {
  return `${PRIVATE_PREFIX}${purpose}-${bodyOf(actorId)}`;
}

/** The suffix of all collections of an actor. */
export function ownSuffix(actorId: string): string {
  return `-${bodyOf(actorId)}`;
}

/** True for the actor's own collection, and for one that all members share. */
export function mayUseCollection(actorId: string, collection: string): boolean {
  return !collection.startsWith(PRIVATE_PREFIX) || collection.endsWith(ownSuffix(actorId));
}
