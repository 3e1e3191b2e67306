export { createAgentFinder } from "./find-agent.ts";
export { createMcpRoutes, MCP_PATH } from "./mcp/mcp.routes.ts";
export { createAgentGrantsRoutes } from "./oauth/agent-grants.routes.ts";
export { createAuthorizationRoutes } from "./oauth/authorization.routes.ts";
export { createConnectedAgents } from "./oauth/connected-agents.ts";
export { OAUTH_PATH } from "./oauth/create-authorization-server.ts";
export { createProposalsRoutes } from "./proposals/proposals.routes.ts";
export { proposalsOfTenant } from "./proposals/proposals-of-tenant.store.ts";
