import { useMutation } from "@tanstack/react-query";
import { BULK_KEYS_MAX } from "@turnpike/domain/keys/bulk-keys-max";
import { useState } from "react";
import { usePlatform } from "#platform/platform.tsx";
import { type Key, type KeyPage, keysQueries, type TenantId } from "../api-keys.queries.ts";
import type { KeysView } from "../api-keys-search.view-model.ts";

/** The keys on all pages that match the filters. */
export type MatchingKeys = {
  keys: readonly Key[];
  /** True when more keys match than one request takes. */
  isCut: boolean;
};

export type MatchingKeysOptions = {
  tenantId: TenantId;
  view: KeysView;
  /** Called with the matching keys, unless the filters have changed since the request. */
  onFound: (keys: readonly Key[]) => void;
};

/** The requested filters: the current ones may differ by the time the response arrives. */
type Question = { view: KeysView; filters: string };

/** Finds the matching keys of all pages, as many as one change takes. The result is dropped when the filters change. */
export function useMatchingKeys({ tenantId, view, onFound }: MatchingKeysOptions) {
  const { api } = usePlatform();
  const filters = JSON.stringify([view.q.trim(), view.environment, view.state, view.sort]);
  const [found, setFound] = useState<MatchingKeys & { filters: string }>();
  const search = useMutation({
    mutationKey: ["keys", "match"],
    mutationFn: async (asked: Question): Promise<MatchingKeys> => {
      const keys: Key[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null && keys.length < BULK_KEYS_MAX) {
        const page: KeyPage = await keysQueries.matching(api, tenantId, asked.view, cursor);
        keys.push(...page.items);
        cursor = page.nextCursor;
      }
      const isCut = keys.length > BULK_KEYS_MAX || cursor !== null;
      return { keys: keys.slice(0, BULK_KEYS_MAX), isCut };
    },
    // This runs with the current `filters`: keys found by earlier filters must not be selected.
    onSuccess: (matching, asked) => {
      if (asked.filters === filters) {
        setFound({ ...matching, filters });
        onFound(matching.keys);
      }
    },
  });
  return {
    found: found?.filters === filters ? found : undefined,
    isSearching: search.isPending,
    error: search.error,
    search: () => search.mutate({ view, filters }),
    forget: () => setFound(undefined),
  };
}
