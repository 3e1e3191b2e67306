import type { QueryClient } from "@tanstack/react-query";
import { applyBrand } from "#platform/apply-brand.ts";
import type { ClientConfig } from "#platform/client-config.ts";
import { createPlatform } from "#platform/create-platform.ts";
import type { Platform } from "#platform/platform.tsx";
import { createQueryClient } from "#platform/query-client.ts";
import { saveScroll } from "#platform/save-scroll.ts";
import type { User } from "#platform/session/session.ts";
import { forgetPrivateQueries } from "#platform/verification.ts";
import { type AppRouter, createAppRouter } from "./router.tsx";

/** The objects that live as long as the page. */
export type Console = {
  queryClient: QueryClient;
  /** Creates the platform and the router on the first call, and returns the same ones afterwards. */
  start: (config: ClientConfig) => StartedConsole;
};

export type StartedConsole = { platform: Platform; router: AppRouter };

/** Prepares the console of this window. Nothing happens before `start`. */
export function createConsole(page: Window): Console {
  const queryClient = createQueryClient();
  let started: StartedConsole | undefined;
  return {
    queryClient,
    start: (config) => {
      started ??= startConsole({ config, queryClient, page });
      return started;
    },
  };
}

function startConsole(input: {
  config: ClientConfig;
  queryClient: QueryClient;
  page: Window;
}): StartedConsole {
  const { config, queryClient, page } = input;
  applyBrand(page.document, config.brand);
  const platform = createPlatform(config, page);
  const { session } = platform;
  const router = createAppRouter({
    queryClient,
    platform,
    get auth() {
      return session.getState();
    },
  });
  let shown: User | undefined;
  session.subscribe(() => {
    const { user } = session.getState();
    const before = shown;
    shown = user;
    if (before !== undefined && user !== undefined && !isSamePerson(before, user)) {
      // Another tab signed someone else in, so nothing on this page belongs to them.
      page.location.reload();
    } else if ((before === undefined) !== (user === undefined)) {
      // The guard first checks the open page again; then the previous person's data is forgotten.
      void router.invalidate().finally(() => {
        if (session.getState().user === undefined) {
          forgetPrivateQueries(queryClient);
        }
      });
    }
  });
  saveScroll(page, () => router.latestLocation);
  session.start();
  return { platform, router };
}

function isSamePerson(one: User, other: User): boolean {
  return one.subject === other.subject && one.providerId === other.providerId;
}
