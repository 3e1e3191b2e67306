import type { Actor } from "@turnpike/domain/access/actor";
import type { TenantId } from "@turnpike/domain/ids/ids";

/** A program that acts for one tenant, by a key of the tenant or by what a member allowed it. */
export type Agent = {
  actor: Actor;
  tenantId: TenantId;
  /** What its credential allows. What a member may not do, their agent may not do either: use cases check the actor. */
  scopes: ReadonlySet<string>;
};

/** True for what the agent's credential allows. */
export function holds(agent: Agent, scope: string | undefined): boolean {
  return scope === undefined || agent.scopes.has(scope);
}
