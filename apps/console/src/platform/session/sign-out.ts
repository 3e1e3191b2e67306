import type { LiveSession } from "./live-session.ts";
import type { Session } from "./session.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { StoredSession } from "./session-store.ts";

/** Makes the way out: of this page, of every tab, and of the provider where it has one. */
export function createSignOut(
  deps: SessionDeps,
  live: Pick<LiveSession, "end" | "keepSignedInAt" | "findHeldToken" | "getEpoch">,
): Session["signOut"] {
  const { store } = deps;

  /** Begins the provider's own sign-out. @returns Its address; undefined when the person stays signed in there. */
  async function findWayOut(stored: StoredSession, idToken: string | undefined) {
    const { providerId } = stored;
    const client = deps.findClient(providerId);
    const providerName = deps.findName(providerId);
    if (client === undefined || providerName === undefined) {
      return undefined;
    }
    const logOutState = crypto.randomUUID();
    // The person is signed out here also when the provider cannot be reached.
    const url = await client.findSignOutUrl(idToken, logOutState).catch(() => undefined);
    if (url !== undefined) {
      deps.signOuts.write({ state: logOutState, providerName });
    } else {
      live.keepSignedInAt(providerName);
    }
    return url;
  }

  return async function signOut() {
    const known = store.read();
    const idToken = live.findHeldToken();
    const newest = store.readNewest();
    const cleared = store.clear();
    live.end("by_person");
    const stored = (await newest) ?? known;
    const client = stored && deps.findClient(stored.providerId);
    // The person is signed out here also when the provider refuses.
    const ended = live.getEpoch();
    const isBuiltIn = stored?.providerId === deps.builtIn?.providerId;
    const [, , , found] = await Promise.allSettled([
      cleared,
      stored?.refreshToken === undefined ? undefined : client?.revoke(stored.refreshToken),
      isBuiltIn ? deps.builtIn?.provider.endSession() : undefined,
      stored === undefined || isBuiltIn ? undefined : findWayOut(stored, idToken),
    ]);
    const wayOut = found.status === "fulfilled" ? found.value : undefined;
    if (wayOut !== undefined && live.getEpoch() === ended) {
      deps.leaveTo(wayOut);
    }
  };
}
