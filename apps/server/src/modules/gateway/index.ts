export { type ApiGateway, createApiGateway } from "./api-gateway.ts";
export { createDecider } from "./decide-call.ts";
export { createForwardAuth, FORWARD_AUTH_PREFIX } from "./forward-auth.ts";
export type { CallObserver } from "./gateway.ports.ts";
export { createGatewayRawRoutes } from "./gateway.routes.ts";
export { createRateLimiter, createSharedRateLimiter, type RateLimiter } from "./rate-limiter.ts";
export { createCallRecorder } from "./record-call.ts";
export {
  createRouteDocuments,
  keepRouteDocumentsFresh,
  type RouteDocuments,
} from "./route-documents.ts";
export { createUpstreamRouter, type UpstreamConfig } from "./upstream-router.ts";
