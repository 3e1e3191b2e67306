import { createContext, type ReactNode, use, useSyncExternalStore } from "react";
import type { ApiClient } from "./api-client.ts";
import type { ClientConfig } from "./client-config.ts";
import type { CredentialStore } from "./credential.ts";
import type { SetupLink } from "./setup-link.ts";

/** What every screen is given: made once when the page starts. */
export type Platform = {
  config: ClientConfig;
  api: ApiClient;
  /** The API with a key that is not the page's own yet. */
  apiWith: (key: string) => ApiClient;
  credentials: CredentialStore;
  setupLink: SetupLink;
};

const PlatformContext = createContext<Platform | undefined>(undefined);

export function PlatformProvider({ value, children }: { value: Platform; children: ReactNode }) {
  return <PlatformContext value={value}>{children}</PlatformContext>;
}

/** @throws {Error} Outside of a `PlatformProvider`. */
export function usePlatform(): Platform {
  const platform = use(PlatformContext);
  if (platform === undefined) {
    throw new Error("usePlatform needs a PlatformProvider above it");
  }
  return platform;
}

/** The operator's key, and a new render when it changes. */
export function useCredential(): string | undefined {
  const { credentials } = usePlatform();
  return useSyncExternalStore(credentials.subscribe, credentials.get);
}

/** The setup code in the address, and a new render when it changes. */
export function useSetupCode(): string | undefined {
  const { setupLink } = usePlatform();
  return useSyncExternalStore(setupLink.subscribe, setupLink.readCode);
}
