import { createFileRoute, retainSearchParams } from "@tanstack/react-router";
import { AppLayout } from "#components/app-layout.tsx";
import { NotFoundInFrame } from "#components/not-found-in-frame.tsx";
import { RouteError } from "#components/route-error.tsx";
import { type EnvironmentSearch, parseEnvironmentSearch } from "#platform/current-environment.ts";
import { parseTenantSearch, type TenantSearch } from "#platform/current-tenant.ts";

export const Route = createFileRoute("/_app")({
  validateSearch: (search: Record<string, unknown>): TenantSearch & EnvironmentSearch => ({
    ...parseTenantSearch(search),
    ...parseEnvironmentSearch(search),
  }),
  search: { middlewares: [retainSearchParams(["tenant", "environment"])] },
  component: AppLayout,
  errorComponent: RouteError,
  notFoundComponent: NotFoundInFrame,
});
