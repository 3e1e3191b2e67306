export { type ApiGateway, createApiGateway } from "./api-gateway.ts";
export { createDecider } from "./decide-call.ts";
export { createForwardAuth, FORWARD_AUTH_PREFIX } from "./forward-auth.ts";
export { createGatewayRawRoutes } from "./gateway.routes.ts";
export { createRateLimiter } from "./rate-limiter.ts";
export { createCallRecorder } from "./record-call.ts";
export type { UpstreamConfig } from "./upstream-router.ts";
