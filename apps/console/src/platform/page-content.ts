import { queryOptions } from "@tanstack/react-query";
import type { PageContent } from "@turnpike/contract/public-pages";
import { fetchJson } from "./fetch-json.ts";

/** The content of a public page. A page that the server rendered carries it; otherwise it is fetched. */
export function pageContentQuery<Name extends keyof PageContent>(name: Name) {
  return queryOptions({
    queryKey: ["page-content", name] as const,
    queryFn: async ({ signal }): Promise<PageContent[Name]> => {
      const { status, body } = await fetchJson(`/page-data/${name}`, signal);
      if (status !== 200 || !isContent(body)) {
        throw new Error(`The page's content did not arrive (status ${String(status)})`);
      }
      // The server's type of this answer is the same one, from the contract.
      return body as PageContent[Name];
    },
  });
}

function isContent(body: unknown): body is object {
  return typeof body === "object" && body !== null && !("code" in body);
}
