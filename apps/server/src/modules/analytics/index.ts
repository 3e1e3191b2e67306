export { createAnalyticsRawRoutes, createAnalyticsRoutes } from "./analytics.routes.ts";
export { queryUsage, queryUsageOfAll } from "./query-usage.ts";
export { createQueue } from "./queue-queries.ts";
