import type { ClientConfig } from "../client-config.ts";
import { hasStoredSession, onStoredSessionChange } from "./session-store.ts";

/**
 * Calls back once someone is signed in as far as this browser knows, now or by another tab. It asks no provider: whether the session
 * still holds is found out by who is called. Where Firebase is configured only its client knows, so that is always.
 */
export function whenSignedIn(config: ClientConfig, page: Window, callback: () => void): void {
  const isSignedIn = () =>
    config.identity.firebase !== undefined || hasStoredSession(page.localStorage);
  if (isSignedIn()) {
    callback();
    return;
  }
  const stop = onStoredSessionChange(page, () => {
    if (isSignedIn()) {
      stop();
      callback();
    }
  });
}
