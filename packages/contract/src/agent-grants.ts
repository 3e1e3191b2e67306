import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, pageOf, pageQuery, tenantId, userId } from "./shapes.ts";

/** What an agent that signed in by OAuth may be allowed. Those that signed in with a key have what the key has. */
export const AGENT_SCOPES = [
  "usage:read",
  "keys:read",
  "billing:read",
  "proposals:read",
  "proposals:write",
] as const;
export type AgentScope = (typeof AGENT_SCOPES)[number];

/** The most agents that one person connects to one tenant; beyond that the oldest is disconnected. */
export const AGENT_GRANTS_MAX = 20;

const agentGrantId = z
  .string()
  .refine((value) => isId("agentGrant", value), {
    error: "Not the id of a connected agent; it looks like agr_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["agr_0199f3b0c1d27a4e8f60112233445566"] });

export const agentGrant = z.strictObject({
  agentGrantId,
  tenantId,
  /** The member who connected it: it may never do more than they may. */
  userId,
  /** As it names itself. */
  name: z.string(),
  /** The site that describes it; null for a program that registered itself. */
  host: z.string().nullable(),
  scopes: z.array(z.enum(AGENT_SCOPES)),
  createdAt: instant,
  /** When it last got a token: at least every quarter of an hour while it is used. */
  renewedAt: instant,
  /** Unless it gets a token until then. */
  expiresAt: instant,
});
export type AgentGrant = z.infer<typeof agentGrant>;

const tags = ["Agents"];
const path = "/tenants/{tenantId}/agent-grants";

/** Programs that members connected by OAuth. */
export const agentGrantsContract = {
  list: operation({ scope: "members:read" })
    .route({ method: "GET", path, summary: "List connected agents, newest first", tags })
    .input(z.strictObject({ tenantId, ...pageQuery }))
    .output(pageOf(agentGrant)),
  revoke: operation({ scope: "members:write", worksWhenFull: true })
    .route({
      method: "POST",
      path: `${path}/{agentGrantId}/revoke`,
      summary: "Disconnect an agent, within a second everywhere",
      description: "Every member may disconnect those that they connected themselves.",
      tags,
    })
    .input(z.strictObject({ tenantId, agentGrantId }))
    .output(agentGrant),
};
