export { createEventsJobs } from "./events.jobs.ts";
export { createEventsRawRoutes, createEventsRoutes } from "./events.routes.ts";
export { openEvents } from "./ingest/open-events.ts";
export { takeEvents } from "./ingest/take-events.ts";
