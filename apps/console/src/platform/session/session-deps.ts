import type { AttemptStore } from "./attempt-store.ts";
import type { BuiltInProvider } from "./built-in-provider.ts";
import type { OidcClient } from "./oidc-client.ts";
import type { SessionStore } from "./session-store.ts";
import type { SignOutStore } from "./sign-out-store.ts";

/** What a session is made of. */
export type SessionDeps = {
  /** The client of a provider; undefined when none has this id. */
  findClient: (providerId: string) => OidcClient | undefined;
  builtIn: { providerId: string; provider: BuiltInProvider } | undefined;
  store: SessionStore;
  attempts: AttemptStore;
  signOuts: SignOutStore;
  /** What people call a provider. */
  findName: (providerId: string) => string | undefined;
  /** Asks a provider without the person. @throws {SignInError} When it does not answer. */
  askInFrame: (url: URL, state: string) => Promise<URL>;
  /** Leaves the page. */
  leaveTo: (url: URL) => void;
  /** Runs one task at a time among all tabs. */
  withLock: <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  /** Milliseconds that only ever grow, also when the device's clock is set. */
  nowMs: () => number;
};
