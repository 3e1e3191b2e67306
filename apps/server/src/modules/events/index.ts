export { createEventsJobs } from "./events.jobs.ts";
export { createEventsRawRoutes, createEventsRoutes } from "./events.routes.ts";
export { openEvents } from "./open-events.ts";
export { takeEvents } from "./take-events.ts";
