import { createContext, type ReactNode, use, useSyncExternalStore } from "react";
import type { ApiClient } from "./api-client.ts";
import type { ArrivalKind, Arrivals } from "./arrivals.ts";
import type { ClientConfig } from "./client-config.ts";
import type { Documents } from "./documents/documents.ts";
import type { EventClient } from "./event-client.ts";
import type { JsonClient } from "./json-client.ts";
import type { AuthState, Session } from "./session/session.ts";
import type { Theme } from "./theme.ts";
import type { WantedPath } from "./wanted-path.ts";

/** What every screen is given: made once when the page starts. */
export type Platform = {
  config: ClientConfig;
  session: Session;
  /** Every operation of the API's contract. */
  api: ApiClient;
  /** What the API and the built-in provider answer outside of the contract. */
  json: JsonClient;
  /** Streams of the API, which its contract does not hold. */
  events: EventClient;
  /** Writes of documents, which wait in the browser while there is no network. Loaded with the frame, not before. */
  documents: () => Promise<Documents>;
  arrivals: Arrivals;
  wantedPath: WantedPath;
  theme: Theme;
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

/** The auth state; renders again when it changes. */
export function useAuth(): AuthState {
  const { session } = usePlatform();
  return useSyncExternalStore(session.subscribe, session.getState, session.getState);
}

/** What a link brought along that the signed-in person may use, and a new render when that changes. */
export function useArrivalFor(kind: ArrivalKind, email: string | null): string | undefined {
  const { arrivals } = usePlatform();
  const read = () => arrivals.getFor(kind, email);
  return useSyncExternalStore(arrivals.subscribe, read, read);
}
