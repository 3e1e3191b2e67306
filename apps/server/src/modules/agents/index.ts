export { createAgentFinder } from "./find-agent.ts";
export { createMcpRoutes } from "./mcp/mcp.routes.ts";
export { createProposalsRoutes } from "./proposals/proposals.routes.ts";
export { proposalsOfTenant } from "./proposals/proposals-of-tenant.store.ts";
