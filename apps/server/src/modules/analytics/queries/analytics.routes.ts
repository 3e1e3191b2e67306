import { implement } from "@orpc/server";
import { tenantId } from "@turnpike/contract/shapes";
import { analyticsContract, type UsageReport } from "@turnpike/contract/usage";
import { allUsageQuery, usageQuery } from "@turnpike/contract/usage-query";
import { nameSender, nameSenderIn } from "@turnpike/domain/access/actor";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { HttpContext } from "#http/http-context.ts";
import { parseQuery } from "#http/parse-query.ts";
import type { RawCall, RawRoute } from "#http/raw-route.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type QueryDeps, queryUsage, queryUsageOfAll } from "./query-usage.ts";
import type { Queue } from "./queue-queries.ts";
import { summariseKeys } from "./summarise-keys.ts";
import { toUsageCsv } from "./usage-csv.ts";

/** What the routes share: how many questions this process asks the database at once. */
export type AnalyticsDeps = AppServices & QueryDeps & { inTurn: Queue };

export function createAnalyticsRoutes(deps: AnalyticsDeps) {
  const os = implement(analyticsContract).$context<HttpContext>();
  return os.router({
    query: os.query.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSenderIn(call.actor, input.tenantId), () =>
        queryUsage(deps, call, input),
      );
    }),
    queryAll: os.queryAll.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSender(call.actor), () => queryUsageOfAll(deps, call, input));
    }),
    keys: os.keys.handler(({ input, context }) => {
      const call = context.call();
      return deps.inTurn(nameSenderIn(call.actor, input.tenantId), () =>
        summariseKeys(deps, call, input),
      );
    }),
  });
}

function sendCsv({ res }: RawCall, report: UsageReport): void {
  const csv = toUsageCsv(report);
  res.writeHead(200, {
    "content-type": "text/csv; charset=utf-8; header=present",
    "content-disposition": 'attachment; filename="usage.csv"',
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-length": Buffer.byteLength(csv),
    // A file cannot say so itself.
    "x-turnpike-truncated": String(report.truncated),
  });
  res.end(csv);
}

async function exportTenant(deps: AnalyticsDeps, call: RawCall): Promise<void> {
  const context = call.context.call();
  const tenant = tenantId.safeParse(call.params["tenantId"]);
  if (!tenant.success) {
    throw resourceNotFound("tenant");
  }
  const input = parseQuery(call, usageQuery, { tenantId: tenant.data });
  const sender = nameSenderIn(context.actor, input.tenantId);
  sendCsv(call, await deps.inTurn(sender, () => queryUsage(deps, context, input)));
}

async function exportAll(deps: AnalyticsDeps, call: RawCall): Promise<void> {
  const context = call.context.call();
  const input = parseQuery(call, allUsageQuery, {});
  const sender = nameSender(context.actor);
  sendCsv(call, await deps.inTurn(sender, () => queryUsageOfAll(deps, context, input)));
}

/** The same questions, answered as CSV: a file is no document of the contract. */
export function createAnalyticsRawRoutes(deps: AnalyticsDeps): RawRoute[] {
  return [
    {
      method: "GET",
      path: "/v1/tenants/{tenantId}/usage.csv",
      handle: (call) => exportTenant(deps, call),
    },
    { method: "GET", path: "/v1/usage.csv", handle: (call) => exportAll(deps, call) },
  ];
}
