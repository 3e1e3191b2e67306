import type { LiveCall, LiveCallsQuery } from "@turnpike/contract/live-calls";

export type LiveFilters = Omit<LiveCallsQuery, "tenantId">;

function isAmong<Value>(values: readonly Value[] | undefined, value: Value): boolean {
  return values === undefined || values.includes(value);
}

/** True when a call passes every filter that is given. */
export function matchesLiveFilters(filters: LiveFilters, call: LiveCall): boolean {
  return (
    isAmong<string>(filters.key, call.keyId) &&
    isAmong<string>(filters.route, call.route) &&
    isAmong<string>(filters.method, call.method) &&
    isAmong<string>(filters.outcome, call.outcome) &&
    isAmong(filters.status, call.status) &&
    isAmong<string>(filters.status_class, `${String(Math.trunc(call.status / 100))}xx`) &&
    isAmong<string>(filters.environment, call.environment) &&
    isAmong<string>(filters.model, call.model)
  );
}
