import type { AuthState } from "./session/session.ts";

/** The pages that a person who is signed in has no use for. */
const SIGN_IN_PATHS: readonly string[] = ["/register", "/login"];
const PUBLIC_PATHS: readonly string[] = ["/", "/privacy", "/terms", ...SIGN_IN_PATHS];

export const HOME_PATH = "/overview";
export const LOGIN_PATH = "/login";

/**
 * Decides whether a visit may go on. Signed-in people leave the sign-in pages; signed-out visitors see only the public pages.
 *
 * @param path - Without search and fragment; a slash at the end means nothing.
 * @returns Where to go instead; undefined when the visit may go on.
 * @see spec.md §2, "Route guard".
 */
export function findRedirect(
  auth: Pick<AuthState, "isLoading" | "user">,
  path: string,
): typeof HOME_PATH | typeof LOGIN_PATH | undefined {
  const visited = path.length > 1 ? path.replace(/\/+$/, "") || "/" : path;
  if (!auth.isLoading && auth.user !== undefined) {
    return SIGN_IN_PATHS.includes(visited) ? HOME_PATH : undefined;
  }
  return PUBLIC_PATHS.includes(visited) ? undefined : LOGIN_PATH;
}
