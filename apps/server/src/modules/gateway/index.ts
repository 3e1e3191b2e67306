export type { OtherCells } from "./cells/forward-to-cell.ts";
export { createDecider } from "./decide/decide-call.ts";
export { createTakePreflight } from "./decide/limits/cluster-places.ts";
export { createRateLimiter } from "./decide/limits/rate-limiter.ts";
export { createRightsRecheck } from "./decide/recheck-rights.ts";
export { createForwardAuth } from "./forward-auth/forward-auth.ts";
export type { CallObserver } from "./gateway.ports.ts";
export { type ApiGateway, createApiGateway } from "./listener/api-gateway.ts";
export { createOpenCalls } from "./listener/open-calls.ts";
export type { ShareUpstream } from "./proxy/upstream-pool.ts";
export {
  createUpstreamRouter,
  listWithoutTests,
  type UpstreamConfig,
} from "./proxy/upstream-router.ts";
export { createCallRecorder } from "./record-call.ts";
export { createRouteDocuments, type RouteDocuments } from "./route-documents.ts";
export { createVerifyRoutes } from "./verify/verify.routes.ts";
