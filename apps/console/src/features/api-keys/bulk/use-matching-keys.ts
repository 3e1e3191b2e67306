import { useMutation } from "@tanstack/react-query";
import { BULK_KEYS_MAX } from "@turnpike/domain/keys/bulk-keys-max";
import { useState } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { type Key, type KeyPage, keysQueries, type TenantId } from "../api-keys.queries.ts";
import type { KeysView } from "../api-keys-search.view-model.ts";

/** Keys on all pages that the filters leave. */
export type MatchingKeys = {
  keys: readonly Key[];
  /** There are more than one request takes. */
  isCut: boolean;
};

/** Finds the keys of all pages, as many as one change takes. What was found is forgotten when the filters change. */
export function useMatchingKeys(tenantId: TenantId, view: KeysView) {
  const { api } = usePlatform();
  const filters = JSON.stringify([view.q.trim(), view.environment, view.state, view.sort]);
  const [found, setFound] = useState<MatchingKeys & { filters: string }>();
  const search = useMutation({
    mutationKey: ["keys", "match"],
    mutationFn: async (): Promise<MatchingKeys> => {
      const keys: Key[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null && keys.length < BULK_KEYS_MAX) {
        const page: KeyPage = await keysQueries.matching(api, tenantId, view, cursor);
        keys.push(...page.items);
        cursor = page.nextCursor;
      }
      const isCut = keys.length > BULK_KEYS_MAX || cursor !== null;
      return { keys: keys.slice(0, BULK_KEYS_MAX), isCut };
    },
    onSuccess: (matching) => setFound({ ...matching, filters }),
  });
  return {
    found: found?.filters === filters ? found : undefined,
    isSearching: search.isPending,
    error: search.error,
    search: search.mutateAsync,
    forget: () => setFound(undefined),
  };
}
