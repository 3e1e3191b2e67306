export { createAgentFinder } from "./find-agent.ts";
export { createMcpRoutes } from "./mcp/mcp.routes.ts";
