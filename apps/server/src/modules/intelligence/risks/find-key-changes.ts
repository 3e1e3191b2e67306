import type { UsageReport } from "@turnpike/contract/usage";
import { USAGE_ROWS_MAX } from "@turnpike/contract/usage-query";
import { REQUESTS_METER } from "@turnpike/domain/catalog/plan";
import { isId, type KeyId, type TenantId } from "@turnpike/domain/ids/ids";
import {
  type ComparedKeyCalls,
  findNewRefusals,
  findRouteChanges,
  type KeyCalls,
} from "@turnpike/domain/insights/find-key-changes";
import { toGrouped } from "@turnpike/domain/text/to-grouped";
import { queryUsage } from "#modules/analytics/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { systemContext } from "../ask-usage.ts";
import type { FoundInsight } from "../found-insight.ts";
import { watchedRange } from "../read-hours.ts";
import { joinNames, toFound } from "./fact.ts";

const DAY_MS = 24 * 60 * 60_000;
const ROUTES_NAMED_MAX = 2;
const PERCENT = 100;

type Range = { fromMs: number; toMs: number };

function toKeyCalls({ rows }: UsageReport): KeyCalls[] {
  return rows.map(({ group, values }) => ({
    key: group.key ?? "",
    route: group.route ?? "",
    outcome: group.outcome ?? "",
    calls: values.requests ?? 0,
  }));
}

async function readKeyCalls(
  deps: AppServices,
  tenantId: TenantId,
  { fromMs, toMs }: Range,
): Promise<KeyCalls[]> {
  const report = await queryUsage(deps, systemContext(deps), {
    tenantId,
    measures: ["requests"],
    meter: REQUESTS_METER,
    dimensions: ["key", "route", "outcome"],
    environment: ["live"],
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    timeZone: "UTC",
    limit: USAGE_ROWS_MAX,
  });
  return toKeyCalls(report);
}

function toRouteInsights(compared: ComparedKeyCalls, { fromMs, toMs }: Range): FoundInsight[] {
  return findRouteChanges(compared).flatMap(({ keys, routes, calls, share }) => {
    const [keyId = ""] = keys;
    const named = joinNames(keys);
    const what = joinNames(routes, ROUTES_NAMED_MAX);
    const percent = String(Math.round(share * PERCENT));
    return [
      toFound({
        kind: "key_changed",
        fingerprint: `key_changed ${keys.join(" ")}`,
        sinceMs: fromMs,
        confidence: share,
        text:
          keys.length === 1
            ? `The key ${named} calls what it never called in the weeks before: ${toGrouped(calls)} calls of ${what} in a day, ${percent}% of all. A release of the program would explain it; a copy of the key, too.`
            : `The keys ${named} call what they never called in the weeks before: ${toGrouped(calls)} calls of ${what} in a day, ${percent}% of all. A release of the program would explain it; a copy of the key, too.`,
        action: {
          do: "open_chart",
          measure: "requests",
          from: new Date(fromMs).toISOString(),
          to: new Date(toMs).toISOString(),
          dimension: "key",
          value: keyId,
        },
      }),
    ];
  });
}

function toRefusalInsights(compared: ComparedKeyCalls, { fromMs }: Range): FoundInsight[] {
  const ofKeys = (
    outcome: "FORBIDDEN_NETWORK" | "INSUFFICIENT_SCOPE",
    toInsight: (keyId: KeyId, calls: string) => FoundInsight,
  ) =>
    findNewRefusals(compared, outcome).flatMap(({ key, calls }) =>
      isId("key", key) ? [toInsight(key, toGrouped(calls))] : [],
    );
  return [
    ...ofKeys("FORBIDDEN_NETWORK", (keyId, calls) =>
      toFound({
        kind: "key_foreign_network",
        fingerprint: `key_foreign_network ${keyId}`,
        sinceMs: fromMs,
        text: `The key ${keyId} is used from a network that it may not be used from, for the first time in four weeks: ${calls} calls in a day were denied. A program has moved, or another one has the key.`,
        action: { do: "revoke_key", keyId },
      }),
    ),
    ...ofKeys("INSUFFICIENT_SCOPE", (keyId, calls) =>
      toFound({
        kind: "key_changed",
        fingerprint: `key_changed scope ${keyId}`,
        sinceMs: fromMs,
        text: `The key ${keyId} calls what it has no right to, for the first time in four weeks: ${calls} calls in a day were denied because it lacks a scope.`,
        action: { do: "narrow_key", keyId },
      }),
    ),
  ];
}

/**
 * Compares what live keys did in the last complete day with the four weeks before: other routes, calls from networks they may not be
 * used from, and of what they have no scope for.
 */
export async function findKeyChanges(
  deps: AppServices,
  tenantId: TenantId,
): Promise<FoundInsight[]> {
  const watched = watchedRange(deps);
  const day = { fromMs: watched.toMs - DAY_MS, toMs: watched.toMs };
  const after = await readKeyCalls(deps, tenantId, day);
  if (after.length === 0) {
    return [];
  }
  const before = await readKeyCalls(deps, tenantId, { ...watched, toMs: day.fromMs });
  // What the answer leaves out cannot be called new.
  if (before.length >= USAGE_ROWS_MAX) {
    return [];
  }
  const compared = { before, after };
  return [...toRouteInsights(compared, day), ...toRefusalInsights(compared, day)];
}
