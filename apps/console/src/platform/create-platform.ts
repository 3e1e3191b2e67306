import { createApiClient } from "./api-client.ts";
import { createArrivals } from "./arrivals.ts";
import type { ClientConfig } from "./client-config.ts";
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
  return {
    config,
    session,
    api: createApiClient({ apiUrl, getIdToken: session.getIdToken }),
    json: createJsonClient(session.getIdToken),
    events: createEventClient(session.getIdToken),
    arrivals: createArrivals({ tab: page.sessionStorage, lasting: page.localStorage }),
    wantedPath: createWantedPath(page.sessionStorage),
    theme: createTheme(page),
  };
}
