import { createRootRouteWithContext, redirect } from "@tanstack/react-router";
import { NotFoundPage } from "#components/not-found-page.tsx";
import { RootLayout } from "#components/root-layout.tsx";
import { RouteError } from "#components/route-error.tsx";
import { findRedirect, LOGIN_PATH } from "#platform/guard.ts";
import type { RouterContext } from "#platform/router-context.ts";

export const Route = createRootRouteWithContext<RouterContext>()({
  beforeLoad: ({ context, location, preload }) => {
    const { arrivals, wantedPath } = context.platform;
    // A link's secret leaves the address before anything else sees it.
    const cleanHref = preload ? undefined : arrivals.capture(location);
    if (cleanHref !== undefined) {
      // A person who opens such a link wants what it brings, not the page they were kept from before.
      wantedPath.forget();
      throw redirect({ href: cleanHref, replace: true });
    }
    const target = findRedirect(context.auth, location.pathname);
    // The page of a link from an e-mail is useful to a signed-in person as well.
    const isAnsweringMail =
      arrivals.getMailLink() !== undefined && location.pathname === LOGIN_PATH;
    if (target === undefined || isAnsweringMail) {
      return;
    }
    if (target === LOGIN_PATH) {
      if (!preload && context.auth.ended !== "by_person") {
        wantedPath.remember(location.href);
      }
      throw redirect({ to: LOGIN_PATH, replace: true });
    }
    const wanted = preload ? undefined : wantedPath.take();
    throw wanted === undefined
      ? redirect({ to: target, replace: true })
      : redirect({ href: wanted, replace: true });
  },
  component: RootLayout,
  errorComponent: RouteError,
  notFoundComponent: () => <NotFoundPage />,
});
