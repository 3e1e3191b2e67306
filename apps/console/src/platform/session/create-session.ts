import { createLiveSession } from "./live-session.ts";
import type { Session } from "./session.ts";
import type { SessionDeps } from "./session-deps.ts";
import { createSignInWays } from "./sign-in-ways.ts";
import { createSignOut } from "./sign-out.ts";

/** Makes the session of the page. Nothing happens before `start`. */
export function createSession(deps: SessionDeps): Session {
  const live = createLiveSession(deps);
  return {
    getState: live.getState,
    subscribe: live.subscribe,
    start: live.start,
    retry: live.retry,
    renew: live.renew,
    getIdToken: live.getIdToken,
    ...createSignInWays(deps, live),
    signOut: createSignOut(deps, live),
    completeSignOut: (logOutState) => deps.signOuts.find(logOutState),
  };
}
