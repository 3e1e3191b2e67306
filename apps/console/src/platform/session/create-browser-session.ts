import type { ClientConfig } from "../client-config.ts";
import { LOGIN_PATH } from "../guard.ts";
import { createJsonClient } from "../json-client.ts";
import { createAttemptStore } from "./attempt-store.ts";
import { createBuiltInProvider } from "./built-in-provider.ts";
import { createSession } from "./create-session.ts";
import { createOidcClient } from "./oidc-client.ts";
import type { Session } from "./session.ts";
import { createSessionStore } from "./session-store.ts";

/** One name for all tabs of this console. */
const LOCK_NAME = "session";
/**
 * What one tab writes to `localStorage` reaches the others a moment later, by another way than the lock does: who takes the
 * lock at once may still read the token that was just used up. Milliseconds that the lock is held on for.
 */
const STORE_SPREADS_MS = 100;

/** Makes the session for the providers of this deployment, in this window. */
export function createBrowserSession(config: ClientConfig, page: Window): Session {
  const { providers } = config.identity;
  const redirectUri = config.urls.console + LOGIN_PATH;
  const clients = new Map(
    providers.map((provider) => [provider.id, createOidcClient(provider, redirectUri)]),
  );
  const builtIn = providers.find(({ kind }) => kind === "builtin");
  const signedOutJson = createJsonClient(() => Promise.resolve(undefined));
  return createSession({
    findClient: (providerId) => clients.get(providerId),
    builtIn: builtIn && {
      providerId: builtIn.id,
      provider: createBuiltInProvider(builtIn.issuer, signedOutJson),
    },
    store: createSessionStore(page),
    attempts: createAttemptStore(page.sessionStorage),
    leaveTo: (url) => page.location.assign(url),
    withLock: (task, signal) => lockAmongTabs(page, task, signal),
    nowMs: () => performance.now(),
  });
}

/** Runs a task while no other tab runs one, and keeps the others out until they can see what it stored. */
function lockAmongTabs<T>(page: Window, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    page.navigator.locks
      .request(LOCK_NAME, { signal }, async () => {
        await task().then(resolve, reject);
        await new Promise((release) => page.setTimeout(release, STORE_SPREADS_MS));
      })
      .catch(reject);
  });
}
