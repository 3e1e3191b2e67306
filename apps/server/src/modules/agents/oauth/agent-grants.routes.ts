import { implement } from "@orpc/server";
import { agentGrantsContract } from "@turnpike/contract/agent-grants";
import type { HttpContext } from "#http/http-context.ts";
import type { AppServices } from "#platform/app-services.ts";
import { listAgentGrants, revokeAgentGrant } from "./manage-agent-grants.ts";

export function createAgentGrantsRoutes(deps: AppServices) {
  const os = implement(agentGrantsContract).$context<HttpContext>();
  return os.router({
    list: os.list.handler(({ input, context }) => listAgentGrants(deps, context.call(), input)),
    revoke: os.revoke.handler(({ input, context }) =>
      revokeAgentGrant(deps, context.call(), input),
    ),
  });
}
