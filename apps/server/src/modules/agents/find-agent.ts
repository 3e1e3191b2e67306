import type { Actor } from "@turnpike/domain/access/actor";
import type { Agent } from "./agent.ts";

/** Finds the actor of an API key. */
export type FindKeyActor = (
  credential: string,
  findAddress: () => string,
) => Actor | undefined | Promise<Actor | undefined>;

/**
 * Finds the agent behind a credential: an access token that a member gave it, or a key, which acts for its tenant with its own scopes.
 * Credentials of the operator's programs, of command lines and the console's ID tokens name no single tenant, or were made for another
 * party: they open nothing here.
 */
export function createAgentFinder(deps: {
  findConnected(credential: string): Promise<Agent | undefined>;
  findKeyActor: FindKeyActor;
}) {
  return async (credential: string, findAddress: () => string): Promise<Agent | undefined> => {
    const connected = await deps.findConnected(credential);
    if (connected !== undefined) {
      return connected;
    }
    const actor = await deps.findKeyActor(credential, findAddress);
    if (actor?.type === "key") {
      return { actor, tenantId: actor.tenantId, scopes: new Set(actor.scopes) };
    }
    return;
  };
}
