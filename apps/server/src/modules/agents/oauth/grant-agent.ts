import { AGENT_GRANTS_MAX, type AgentScope } from "@turnpike/contract/agent-grants";
import { type CallContext, getPerson, type UserActor } from "@turnpike/domain/access/actor";
import { scopesOf } from "@turnpike/domain/access/scopes";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { insertAgentGrant, pruneAgentGrants } from "./agent-grants.store.ts";
import { endAgentGrantBecause } from "./end-agent-grant.ts";

/** A request to connect, as the person sees it. */
export type ConnectRequest = {
  name: string;
  /** The site that describes the program; null for one that registered itself. */
  host: string | null;
  scopes: readonly AgentScope[];
};

/** A command line, or an agent, must not let in others: who steals its credential would stay for good. */
export function getPersonInBrowser({ actor }: CallContext): UserActor {
  const person = getPerson(actor);
  if (person.isByDevice === true) {
    throw new AppError({
      code: "CONFLICT",
      publicMessage: "A command line cannot connect an agent: open the console.",
    });
  }
  return person;
}

function assertAskedFor(request: ConnectRequest, scopes: readonly AgentScope[]): void {
  if (scopes.length === 0 || !scopes.every((scope) => request.scopes.includes(scope))) {
    throw new AppError({
      code: "INVALID_REQUEST",
      publicMessage: "Allow at least one of the scopes that the program asks for, and no other.",
    });
  }
}

/**
 * Lets a program act for one tenant as far as the person may, until it is disconnected.
 *
 * @param input.lifetimeMs - How long it may take to fetch its first token; then each token prolongs the grant.
 * @returns The id of the grant.
 * @throws {AppError} `RESOURCE_NOT_FOUND` for a tenant that the person does not belong to, also for operators; `INSUFFICIENT_SCOPE` for
 *   programs, and for what their role does not allow; `CONFLICT` for command lines; `INVALID_REQUEST`.
 */
export async function grantAgent(
  deps: AppServices,
  context: CallContext,
  input: {
    request: ConnectRequest;
    tenantId: TenantId;
    scopes: readonly AgentScope[];
    lifetimeMs: number;
  },
): Promise<{ agentGrantId: string; scopes: AgentScope[] }> {
  const { request, tenantId } = input;
  const person = getPersonInBrowser(context);
  const role = person.roles.get(tenantId);
  if (role === undefined) {
    throw resourceNotFound("tenant");
  }
  assertAskedFor(request, input.scopes);
  const scopes = [...new Set(input.scopes)];
  const missing = scopes.find((scope) => !scopesOf(role).includes(scope));
  if (missing !== undefined) {
    throw new AppError({
      code: "INSUFFICIENT_SCOPE",
      publicMessage: `Your role in this tenant does not have the scope ${missing}.`,
      extensions: { requiredScope: missing },
    });
  }
  const now = deps.clock.now();
  const agentGrantId = deps.newId("agentGrant");
  await deps.transact.asOperator(async (tx) => {
    await insertAgentGrant(tx, {
      tenant_id: tenantId,
      agent_grant_id: agentGrantId,
      user_id: person.id,
      name: request.name,
      host: request.host,
      scopes,
      created_at: now,
      renewed_at: now,
      expires_at: new Date(now.getTime() + input.lifetimeMs),
    });
    const oldest = { tenantId, userId: person.id, now, kept: AGENT_GRANTS_MAX };
    for (const ended of await pruneAgentGrants(tx, oldest)) {
      await endAgentGrantBecause(deps, tx, { agentGrantId: ended, why: "replaced" });
    }
    await writeAudit(deps, tx, context, {
      tenantId,
      action: "agent_grant.created",
      entityType: "agent_grant",
      entityId: agentGrantId,
      details: { name: request.name, host: request.host, scopes },
    });
  }, SIGN_INS);
  return { agentGrantId, scopes };
}
