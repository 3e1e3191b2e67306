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

/** What a page to be read is given: it asks the API nothing and changes nothing. */
export type ReadingPlatform = Pick<Platform, "config"> & {
  session: Pick<Session, "subscribe"> & {
    getState: () => { user: object | undefined };
  };
};

const PlatformContext = createContext<Platform | undefined>(undefined);
const ReadingPlatformContext = createContext<ReadingPlatform | undefined>(undefined);

export function PlatformProvider({ value, children }: { value: Platform; children: ReactNode }) {
  return (
    <ReadingPlatformContext value={value}>
      <PlatformContext value={value}>{children}</PlatformContext>
    </ReadingPlatformContext>
  );
}

/** For a page that has no more than this: the screens need a `PlatformProvider`. */
export function ReadingPlatformProvider(props: { value: ReadingPlatform; children: ReactNode }) {
  return <ReadingPlatformContext value={props.value}>{props.children}</ReadingPlatformContext>;
}

/** @throws {Error} Outside of both providers. */
export function useReadingPlatform(): ReadingPlatform {
  const platform = use(ReadingPlatformContext);
  if (platform === undefined) {
    throw new Error("useReadingPlatform needs a provider above it");
  }
  return platform;
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
