import { Trans } from "@lingui/react/macro";
import { FullScreenSpinner } from "./full-screen-spinner.tsx";
import { PRELOAD_DELAY_MS } from "./preload-delay.ts";
import { RouteError } from "./route-error.tsx";

/** How long a preloaded answer counts as fresh: not at all. */
export const PRELOAD_STALE_MS = 0;
/** How long a route may load before a spinner says so, in milliseconds. */
export const PENDING_MS = 1000;
/** How long a spinner stays at least, so that it does not flicker, in milliseconds. */
export const PENDING_MIN_MS = 500;

/** What the router does everywhere, as spec.md §2 and §9 say. */
export const ROUTER_DEFAULTS = {
  defaultPreload: "intent",
  defaultPreloadDelay: PRELOAD_DELAY_MS,
  defaultPreloadStaleTime: PRELOAD_STALE_MS,
  defaultPendingMs: PENDING_MS,
  defaultPendingMinMs: PENDING_MIN_MS,
  defaultPendingComponent: FullScreenSpinner,
  defaultErrorComponent: RouteError,
  defaultNotFoundComponent: RouterNotFound,
  notFoundMode: "fuzzy",
  scrollRestoration: true,
} as const;

/** Shown when a route has no not-found page of its own. */
function RouterNotFound() {
  return (
    <p className="p-4">
      <Trans>Not Found</Trans>
    </p>
  );
}
