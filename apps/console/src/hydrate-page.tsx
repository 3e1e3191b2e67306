import type { PrerenderedPage } from "@turnpike/contract/public-pages";
import { type ReactNode, StrictMode } from "react";
import { createRoot, hydrateRoot, type Root } from "react-dom/client";
import { parseClientConfig } from "#platform/client-config.ts";
import { seedQueries } from "#platform/seed-queries.ts";
import type { Session } from "#platform/session/session.ts";
import { App } from "./app.tsx";
import { Interactive } from "./interactive.tsx";
import type { Console, StartedConsole } from "./start-console.ts";

/** Shows the console in a page that was served without content. */
export function mountPage(root: HTMLElement, console: Console): void {
  createRoot(root).render(toTree(console));
}

/**
 * Takes over a page that the server rendered. Its content stays until the auth state and the route's code have loaded; then
 * the same content is rendered again, and nothing moves. A person who is redirected gets the other page instead.
 */
export async function hydratePage(input: {
  root: HTMLElement;
  console: Console;
  prerendered: PrerenderedPage;
}): Promise<void> {
  const { root, console, prerendered } = input;
  // Running the scripts was a long task already: the browser answers what was pressed before the next one.
  await new Promise((resolve) => setTimeout(resolve));
  const { platform, router } = await startPrerendered(console, prerendered);
  // The router leaves out the outermost boundary, as the server did.
  router.ssr = { manifest: undefined };
  // The router listens from its first render on. A link to a part of this page may be followed before.
  let hasMoved = false;
  const notice = (): void => {
    hasMoved = true;
  };
  window.addEventListener("popstate", notice);
  do {
    hasMoved = false;
    await router.load();
  } while (hasMoved);
  window.addEventListener(
    "page-interactive",
    () => {
      window.removeEventListener("popstate", notice);
      if (hasMoved) {
        void router.load();
      }
    },
    { once: true },
  );
  const isKnown = !platform.session.getState().isLoading;
  if (isKnown && router.state.location.pathname === prerendered.path) {
    hydrateRoot(root, toTree(console));
  } else {
    mountPage(root, console);
  }
}

/**
 * Shows the console in place of a page to be read. That stays until the auth state and the route's code have loaded; then the same
 * content is shown by it instead.
 *
 * @param input.shown - Where the page is shown.
 */
export async function replaceReadingPage(input: {
  shown: Root;
  console: Console;
  prerendered: PrerenderedPage;
}): Promise<void> {
  const { shown, console, prerendered } = input;
  const { router } = await startPrerendered(console, prerendered);
  await router.load();
  shown.render(toTree(console));
}

async function startPrerendered(
  console: Console,
  prerendered: PrerenderedPage,
): Promise<StartedConsole> {
  seedQueries(console.queryClient, prerendered);
  const started = console.start(parseClientConfig(prerendered.config));
  await untilKnown(started.platform.session);
  return started;
}

function toTree(console: Console): ReactNode {
  return (
    <StrictMode>
      <App console={console} />
      <Interactive />
    </StrictMode>
  );
}

/** Waits until the auth state is known, or until loading it has run into trouble that the page must show. */
async function untilKnown(session: Session): Promise<void> {
  const isKnown = () => !session.getState().isLoading || session.getState().trouble !== undefined;
  if (isKnown()) {
    return;
  }
  await new Promise<void>((resolve) => {
    const unsubscribe = session.subscribe(() => {
      if (isKnown()) {
        unsubscribe();
        resolve();
      }
    });
  });
}
