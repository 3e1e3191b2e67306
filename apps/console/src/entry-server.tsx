import { createMemoryHistory } from "@tanstack/react-router";
import type { PrerenderedPage } from "@turnpike/contract/public-pages";
import { StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { createApiClient } from "#platform/api-client.ts";
import { type ClientConfig, parseClientConfig } from "#platform/client-config.ts";
import type { Platform } from "#platform/platform.tsx";
import { createQueryClient } from "#platform/query-client.ts";
import { seedQueries } from "#platform/seed-queries.ts";
import type { AuthState, Session } from "#platform/session/session.ts";
import { App } from "./app.tsx";
import { Interactive } from "./interactive.tsx";
import { toPageHead } from "./page-head.ts";
import { isToBeRead, ReadingPage } from "./reading-page.tsx";
import { createAppRouter } from "./router.tsx";

export type RenderedPage = {
  /** The content of `#root`. */
  html: string;
  title: string;
  description: string;
};

const SIGNED_OUT: AuthState = {
  isLoading: false,
  user: undefined,
  ended: undefined,
  trouble: undefined,
};

/**
 * Renders a public page as a visitor sees it before any script has run: signed out, with nothing remembered.
 *
 * Built for the server, which loads it by its path: `vite build` writes it to `dist-server/entry-server.js`.
 */
export async function renderPublicPage(page: PrerenderedPage): Promise<RenderedPage> {
  const config = parseClientConfig(page.config);
  const html = isToBeRead(page)
    ? renderToString(<ReadingPage content={page.content} config={config} />)
    : await renderForm(page, config);
  return { html, ...toPageHead(page, config) };
}

/** A page of the application that everybody may see. */
async function renderForm(page: PrerenderedPage, config: ClientConfig): Promise<string> {
  const queryClient = createQueryClient();
  seedQueries(queryClient, page);
  const platform = createVisitorPlatform(config);
  const router = createAppRouter(
    { queryClient, platform, auth: SIGNED_OUT },
    createMemoryHistory({ initialEntries: [page.path] }),
  );
  // On the server it would write an inline script, which the content security policy blocks.
  router.update({ ...router.options, scrollRestoration: false, isServer: true });
  await router.load();
  const html = renderToString(
    <StrictMode>
      <App console={{ queryClient, start: () => ({ platform, router }) }} />
      <Interactive />
    </StrictMode>,
  );
  queryClient.clear();
  return html;
}

/** A platform for rendering: it sends no requests and stores nothing. */
function createVisitorPlatform(config: ClientConfig): Platform {
  const noSubscription = () => () => undefined;
  const refuse = () => Promise.reject(new Error("A page that is being rendered signs no one in."));
  const session: Session = {
    getState: () => SIGNED_OUT,
    subscribe: noSubscription,
    start: () => undefined,
    retry: () => undefined,
    signIn: refuse,
    register: refuse,
    startRedirect: refuse,
    openSignIn: refuse,
    startSso: refuse,
    completeRedirect: refuse,
    signInInWindow: refuse,
    proveElsewhere: refuse,
    confirmInWindow: refuse,
    completeSignOut: () => undefined,
    signOut: refuse,
    renew: refuse,
    getIdToken: () => Promise.resolve(undefined),
  };
  return {
    config,
    session,
    api: createApiClient({ apiUrl: config.urls.api, getIdToken: session.getIdToken }),
    json: refuse,
    events: () => {
      throw new Error("A page that is being rendered follows nothing.");
    },
    documents: refuse,
    arrivals: {
      capture: () => undefined,
      get: () => undefined,
      keepFor: () => undefined,
      keepTenantName: () => undefined,
      getFor: () => undefined,
      forgetOthers: () => undefined,
      forget: () => undefined,
      getMailLink: () => undefined,
      forgetMailLink: () => undefined,
      subscribe: noSubscription,
    },
    wantedPath: {
      remember: () => undefined,
      take: () => undefined,
      forget: () => undefined,
    },
    theme: {
      getChoice: () => "system",
      choose: () => undefined,
      adopt: () => undefined,
      onChosen: noSubscription,
      subscribe: noSubscription,
    },
  };
}
