import { createApiClient } from "./api-client.ts";
import { createArrivals } from "./arrivals.ts";
import type { ClientConfig } from "./client-config.ts";
import type { Documents } from "./documents/documents.ts";
import { createEventClient } from "./event-client.ts";
import { createJsonClient } from "./json-client.ts";
import type { Platform } from "./platform.tsx";
import { createBrowserSession } from "./session/create-browser-session.ts";
import { createTheme } from "./theme.ts";
import { createWantedPath } from "./wanted-path.ts";

/** Makes what every screen is given, from the deployment's configuration and this window. */
export function createPlatform(config: ClientConfig, page: Window): Platform {
  const session = createBrowserSession(config, page);
  const apiUrl = config.urls.api;
  const api = createApiClient({ apiUrl, getIdToken: session.getIdToken });
  let documents: Promise<Documents> | undefined;
  return {
    config,
    session,
    api,
    json: createJsonClient(session.getIdToken),
    events: createEventClient(session.getIdToken),
    documents: () => {
      documents ??= import("./documents/open-documents.ts").then(
        ({ openDocuments }) => openDocuments(api.documents, page),
        (error: unknown) => {
          // Without a network: asked again, it may be there.
          documents = undefined;
          throw error;
        },
      );
      return documents;
    },
    arrivals: createArrivals({ tab: page.sessionStorage, lasting: page.localStorage }),
    wantedPath: createWantedPath(page.sessionStorage),
    theme: createTheme(page),
  };
}
