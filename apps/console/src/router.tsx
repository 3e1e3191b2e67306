import type { RouterHistory } from "@tanstack/react-router";
import { createRouter } from "@tanstack/react-router";
import { ROUTER_DEFAULTS } from "#components/router-defaults.tsx";
import type { RouterContext } from "#platform/router-context.ts";
import { routeTree } from "./routeTree.gen.ts";

export type AppRouter = ReturnType<typeof createAppRouter>;

/** Creates the router of the console. @param history - The browser's, unless another is given. */
export function createAppRouter(context: RouterContext, history?: RouterHistory) {
  return createRouter({
    ...ROUTER_DEFAULTS,
    routeTree,
    context,
    ...(history === undefined ? {} : { history }),
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: AppRouter;
  }
}
