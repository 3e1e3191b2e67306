import type { ClientConfig } from "../client-config.ts";
import type { ReadingPlatform } from "../platform.tsx";
import { createLateSession } from "./create-late-session.ts";
import { hasStoredSession, onStoredSessionChange } from "./session-store.ts";

const SOMEONE = {};

/**
 * Whether someone is signed in, as far as a page to be read has to know: it offers the console instead of the sign-in. Whether the
 * session still holds is found out there. Where Firebase is configured, only its client knows.
 */
export function watchSignedIn(config: ClientConfig, page: Window): ReadingPlatform["session"] {
  if (config.identity.firebase === undefined) {
    return {
      getState: () => ({ user: hasStoredSession(page.localStorage) ? SOMEONE : undefined }),
      subscribe: (listener) => onStoredSessionChange(page, listener),
    };
  }
  const session = createLateSession(async () => {
    const { createBrowserSession } = await import("./create-browser-session.ts");
    return createBrowserSession(config, page);
  });
  session.start();
  return session;
}
