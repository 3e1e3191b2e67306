import type { ClientConfig } from "../client-config.ts";
import { LOGIN_PATH } from "../guard.ts";
import { createJsonClient } from "../json-client.ts";
import { createAttemptStore } from "./attempt-store.ts";
import { createBuiltInProvider } from "./built-in-provider.ts";
import { createLateSession } from "./create-late-session.ts";
import { createSession } from "./create-session.ts";
import { createLazyOidcClient } from "./lazy-oidc-client.ts";
import { createNewestEntry } from "./newest-entry.ts";
import type { Session } from "./session.ts";
import { createSessionStore } from "./session-store.ts";
import { createSignOutStore } from "./sign-out-store.ts";
import { createStopwatch } from "./stopwatch.ts";

/** One name for all tabs of this console. */
const LOCK_NAME = "session";

/** Makes the session for the providers of this deployment, in this window. */
export function createBrowserSession(config: ClientConfig, page: Window): Session {
  const { providers } = config.identity;
  const redirectUri = config.urls.console + LOGIN_PATH;
  const clients = new Map(
    providers.map((provider) => [provider.id, createLazyOidcClient(provider, redirectUri)]),
  );
  const builtIn = providers.find(({ kind }) => kind === "builtin");
  const signedOutJson = createJsonClient(() => Promise.resolve(undefined));
  const nowMs = createStopwatch(page.performance, Date);
  const own = createSession({
    findClient: (providerId) => clients.get(providerId),
    builtIn: builtIn && {
      providerId: builtIn.id,
      provider: createBuiltInProvider(builtIn.issuer, signedOutJson),
    },
    store: createSessionStore(page, createNewestEntry()),
    attempts: createAttemptStore(page.sessionStorage),
    signOuts: createSignOutStore(page.sessionStorage),
    findName: (providerId) => providers.find(({ id }) => id === providerId)?.name,
    askInFrame: async (url, state) => {
      // Most people are at a provider that gives refresh tokens.
      const { askInFrame } = await import("./silent-frame.ts");
      return await askInFrame(page, url, state);
    },
    leaveTo: (url) => page.location.assign(url),
    withLock: async (task, signal) =>
      await page.navigator.locks.request(LOCK_NAME, { signal }, task),
    nowMs,
  });
  const { firebase } = config.identity;
  return firebase === undefined
    ? own
    : createLateSession(async () => {
        // Firebase's client is larger than the rest of the session: only who needs it loads it.
        const { openFirebase } = await import("./firebase/open-firebase.ts");
        return openFirebase({ own, settings: firebase, loginUrl: redirectUri, page, nowMs });
      });
}
