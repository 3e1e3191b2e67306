import { useQuery } from "@tanstack/react-query";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type Insight, insightsQueries } from "./insights.queries.ts";
import { listKeyIds } from "./insights.view-model.ts";

const NONE: ReadonlyMap<string, string> = new Map();

/** The names of the keys that insights are about; empty until they are known. */
export function useKeyNames(
  { tenantId }: Pick<OwnTenant, "tenantId">,
  insights: readonly Insight[],
): ReadonlyMap<string, string> {
  const { api } = usePlatform();
  const names = useQuery(insightsQueries.keyNames(api, tenantId, insights.flatMap(listKeyIds)));
  return names.data ?? NONE;
}
