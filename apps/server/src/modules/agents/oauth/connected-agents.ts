import type { AgentScope } from "@turnpike/contract/agent-grants";
import type { UserActor } from "@turnpike/domain/access/actor";
import { scopesOf } from "@turnpike/domain/access/scopes";
import { findProviderRecords, isVouchedFor, toProviderIdHash } from "#modules/identity/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { Change } from "#platform/change-feed.ts";
import { createRecordCache } from "#platform/record-cache.ts";
import { SIGN_INS } from "#platform/transact.ts";
import type { Agent } from "../agent.ts";
import { findAgentGrants, type IdentifiedGrant } from "./agent-grants.store.ts";

export type ConnectedAgents = {
  /** The agent of an access token; undefined for one that is unknown, expired, ended, or made for another resource. */
  findAgent(credential: string): Promise<Agent | undefined>;
  /** True while a grant may give out tokens: it has not ended, and its person is a member. */
  isActive(agentGrantId: string): Promise<boolean>;
  applyChange(change: Change): void;
};

type AccessToken = { grant: IdentifiedGrant; scopes: readonly string[]; expiresAt: Date };

const RECORDS_MAX = 20_000;
const LIMITS = {
  missesMax: 1_000,
  missTtlMs: 1_000,
  loadsMax: 2,
  loadsWaitingMax: 500,
  waitMsMax: 5_000,
};
/** Access tokens have no other form. */
const ACCESS_TOKEN = /^[\w-]{43}$/;

/** A change of password ends what was granted before, to the second, as for the tokens of the console. */
function isEnded(grant: IdentifiedGrant, now: Date): boolean {
  const from = grant.tokens_valid_from;
  const isTooOld =
    from !== null && grant.created_at.getTime() < Math.floor(from.getTime() / 1_000) * 1_000;
  return isTooOld || grant.expires_at <= now || !isVouchedFor(grant, now);
}

/**
 * Finds agents by their access tokens. Tokens are kept until the change feed names the person; what the person may do is looked at in
 * each request.
 *
 * @param deps.resource - The address that tokens must be made for.
 */
export function createConnectedAgents(
  deps: Pick<AppServices, "transact" | "clock"> & {
    findPerson(identity: { issuer: string; subject: string }): Promise<UserActor | undefined>;
    resource: string;
  },
): ConnectedAgents {
  async function load(hashesHex: readonly string[]): Promise<ReadonlyMap<string, AccessToken>> {
    return await deps.transact.asOperator(async (tx) => {
      const records = await findProviderRecords(tx, { model: "AccessToken", hashesHex });
      const grants = await findAgentGrants(
        tx,
        records.flatMap(({ grantId }) => (grantId === null ? [] : [grantId])),
      );
      return new Map(
        records.flatMap(({ hashHex, grantId, payload, expiresAt }) => {
          const grant = grants.get(grantId ?? "");
          const isOurs = payload["aud"] === deps.resource && typeof payload["scope"] === "string";
          return grant === undefined || !isOurs
            ? []
            : [[hashHex, { grant, scopes: String(payload["scope"]).split(" "), expiresAt }]];
        }),
      );
    }, SIGN_INS);
  }

  const tokens = createRecordCache<AccessToken>({
    ...LIMITS,
    recordsMax: RECORDS_MAX,
    monotonicMs: deps.clock.monotonicMs,
    idOf: ({ grant }) => grant.user_id,
    load,
  });

  /** What the person of a grant may do in its tenant now; undefined when they are no member. */
  async function findHeldScopes(grant: IdentifiedGrant): Promise<AgentScope[] | undefined> {
    const person = await deps.findPerson(grant);
    const role = person?.roles.get(grant.tenant_id);
    if (role === undefined) {
      return;
    }
    const held: readonly string[] = scopesOf(role);
    return grant.scopes.filter((scope) => held.includes(scope));
  }

  return {
    async findAgent(credential) {
      if (!ACCESS_TOKEN.test(credential)) {
        return;
      }
      const hash = Buffer.from(toProviderIdHash("agents", "AccessToken", credential)).toString(
        "hex",
      );
      const token = await tokens.get(hash);
      const now = deps.clock.now();
      if (token === null || token.expiresAt <= now || isEnded(token.grant, now)) {
        return;
      }
      const held = await findHeldScopes(token.grant);
      if (held === undefined) {
        return;
      }
      const { tenant_id: tenantId, agent_grant_id: id } = token.grant;
      const scopes = held.filter((scope) => token.scopes.includes(scope));
      return {
        actor: { type: "agent", id, tenantId, scopes },
        tenantId,
        scopes: new Set(scopes),
      };
    },
    async isActive(agentGrantId) {
      const grants = await deps.transact.asOperator(
        (tx) => findAgentGrants(tx, [agentGrantId]),
        SIGN_INS,
      );
      const grant = grants.get(agentGrantId);
      return (
        grant !== undefined &&
        !isEnded(grant, deps.clock.now()) &&
        (await findHeldScopes(grant)) !== undefined
      );
    },
    applyChange(change) {
      if (change.kind === "user") {
        tokens.forget(change.entityId);
      }
      if (change.kind === "reset") {
        tokens.clear();
      }
    },
  };
}
