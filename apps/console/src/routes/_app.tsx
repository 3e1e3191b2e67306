import { createFileRoute, retainSearchParams } from "@tanstack/react-router";
import { AppLayout } from "#components/app-layout.tsx";
import { NotFoundInFrame } from "#components/not-found-in-frame.tsx";
import { RouteError } from "#components/route-error.tsx";
import { parseTenantSearch } from "#platform/current-tenant.ts";

export const Route = createFileRoute("/_app")({
  validateSearch: parseTenantSearch,
  search: { middlewares: [retainSearchParams(["tenant"])] },
  component: AppLayout,
  errorComponent: RouteError,
  notFoundComponent: NotFoundInFrame,
});
