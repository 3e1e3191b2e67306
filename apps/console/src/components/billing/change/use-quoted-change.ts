import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  type BillingPlace,
  type Quote,
  refreshBilling,
  type Subscription,
  type SubscriptionAction,
} from "#platform/billing-queries.ts";
import { usePlatform } from "#platform/platform.tsx";
import { findChangedQuote, toQuoteChanges } from "./quote.view-model.ts";

/** A quote holds for ten minutes; it is asked for again before that, in milliseconds. */
const QUOTE_REFRESH_MS = 4 * 60_000;

/**
 * Quotes an action and confirms exactly what was quoted. Where it would come to another sum by now, the new quote takes the
 * place of the old one, with what changed, and is confirmed by itself.
 *
 * @param action - Undefined while something is missing.
 */
export function useQuotedChange(place: BillingPlace, action: SubscriptionAction | undefined) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [changes, setChanges] = useState<{ hash: string; texts: readonly string[] }>();
  // Not of what a change makes old: what was just done would be quoted once more, and refused.
  const queryKey = ["quote", place, action];
  const quote = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      api.billing.quoteAction(
        // Disabled without an action.
        { ...place, action: action as SubscriptionAction },
        { signal },
      ),
    enabled: action !== undefined,
    // A quote is of its instant: the one that was left must not come back with the next dialog.
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchInterval: QUOTE_REFRESH_MS,
  });
  const confirm = useMutation({
    mutationKey: ["billing", "confirm"],
    mutationFn: (read: Quote): Promise<Subscription> =>
      api.billing.confirmAction({ ...place, action: read.action, at: read.at, hash: read.hash }),
    onSuccess: () => refreshBilling(client, place),
    onError: (error, read) => {
      const next = findChangedQuote(error);
      if (next !== undefined) {
        client.setQueryData(queryKey, next);
        setChanges({ hash: next.hash, texts: toQuoteChanges(read, next) });
      }
    },
  });
  return {
    quote,
    confirm,
    /** Undefined unless the quote that is shown took the place of one that was read. */
    changes: changes?.hash === quote.data?.hash ? changes?.texts : undefined,
    /** Why confirming failed, apart from a quote that changed. */
    failure: findChangedQuote(confirm.error) === undefined ? confirm.error : null,
  };
}
