import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "@turnpike/ui/skeleton";
import { formatCount } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import { editorQueries } from "./editor.queries.ts";

/** How many tenants have a plan, in any version. */
export function SubscriberCount({ planId }: { planId: string }) {
  const subscribers = useQuery(editorQueries.subscribers(usePlatform().api, planId));
  if (subscribers.data === undefined) {
    return subscribers.isError ? (
      <span title={t`Could not be loaded`}>–</span>
    ) : (
      <Skeleton className="ml-auto h-4 w-8" />
    );
  }
  return <>{formatCount(subscribers.data.count)}</>;
}
