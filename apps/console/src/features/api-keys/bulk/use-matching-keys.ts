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

export type MatchingKeysOptions = {
  tenantId: TenantId;
  view: KeysView;
  /** Called with what was found, unless the filters have changed since it was asked for. */
  onFound: (keys: readonly Key[]) => void;
};

/** What was looked for: the filters may be others by the time that it is found. */
type Question = { view: KeysView; filters: string };

/** Finds the keys of all pages, as many as one change takes. What was found is forgotten when the filters change. */
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
    // Called as the page is by then: `filters` are those of now, and keys that others found are not to be chosen.
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
