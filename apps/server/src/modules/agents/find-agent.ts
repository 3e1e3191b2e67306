import type { Actor } from "@turnpike/domain/access/actor";
import type { Agent } from "./agent.ts";

/** Finds the actor of an API key. */
export type FindKeyActor = (
  credential: string,
  findAddress: () => string,
) => Actor | undefined | Promise<Actor | undefined>;

/**
 * Finds the agent behind a credential. A key acts for its tenant, with its own scopes. Credentials of the operator's programs and the
 * console's ID tokens name no single tenant, or were made for another party: they open nothing here.
 */
export function createAgentFinder(deps: { findKeyActor: FindKeyActor }) {
  return async (credential: string, findAddress: () => string): Promise<Agent | undefined> => {
    const actor = await deps.findKeyActor(credential, findAddress);
    if (actor?.type === "key") {
      return { actor, tenantId: actor.tenantId, scopes: new Set(actor.scopes) };
    }
    return;
  };
}
