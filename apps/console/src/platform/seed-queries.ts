import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { PrerenderedPage } from "@turnpike/contract/public-pages";
import { loadClientConfig, parseClientConfig } from "./client-config.ts";
import { pageContentQuery } from "./page-content.ts";

/** The configuration, asked for once: a page that the server rendered carries it. */
export function clientConfigQuery() {
  return queryOptions({
    queryKey: ["client-config"] as const,
    queryFn: ({ signal }) => loadClientConfig(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Puts what a prerendered page shows where its queries look first, on the server and in the browser alike. */
export function seedQueries(client: QueryClient, { config, content }: PrerenderedPage): void {
  client.setQueryData(clientConfigQuery().queryKey, parseClientConfig(config));
  for (const name of ["landing", "terms", "privacy"] as const) {
    if (content[name] !== undefined) {
      client.setQueryData(pageContentQuery(name).queryKey, content[name]);
    }
  }
}
