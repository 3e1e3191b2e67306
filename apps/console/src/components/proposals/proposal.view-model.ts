import { t } from "@lingui/core/macro";
import type { Scope } from "@turnpike/domain/access/scopes";
import type { Proposal } from "./proposals.queries.ts";

/** The right that accepting takes. */
export function scopeOfChange({ change }: Pick<Proposal, "change">): Scope {
  return change.do === "create_key" ? "keys:write" : "billing:write";
}

/** What would be done: "Create the test key Import". */
export function toProposalTitle({ change }: Pick<Proposal, "change">): string {
  return change.do === "create_key"
    ? t`Create the ${change.key.environment} key ${change.key.name}`
    : t`Set the spend cap to ${change.amount}`;
}

export type ProposalFact = { label: string; value: string };

/** All that the change says, so that nothing is accepted unseen. */
export function listProposalFacts({ change }: Pick<Proposal, "change">): ProposalFact[] {
  if (change.do === "set_spend_cap") {
    return [{ label: t`At the cap`, value: t`Calls are denied until the next period` }];
  }
  const { scopes, allowedNetworks, expiresAt } = change.key;
  return [
    { label: t`Scopes`, value: scopes.length === 0 ? t`None: calls only` : scopes.join(", ") },
    {
      label: t`Networks`,
      value: (allowedNetworks ?? []).length === 0 ? t`Any` : (allowedNetworks ?? []).join(", "),
    },
    { label: t`Expires`, value: expiresAt === undefined ? t`Never` : expiresAt.slice(0, 10) },
  ];
}

/** The key of the agent that proposes, for its name. */
export function listProposerKeys({ proposedBy }: Pick<Proposal, "proposedBy">): string[] {
  return proposedBy.startsWith("key:") ? [proposedBy.slice("key:".length)] : [];
}

/** Names the proposer. @param keyNames - Names of keys by their ids. */
export function toProposerName(proposedBy: string, keyNames: ReadonlyMap<string, string>): string {
  const [kind = "", id = ""] = proposedBy.split(":", 2);
  switch (kind) {
    case "key":
      return t`an agent with the key ${keyNames.get(id) ?? id}`;
    case "agent":
      return t`an agent that a member connected`;
    case "user":
      return t`a member's command line, or the language model that they asked`;
    case "service_key":
      return t`a program of the operator`;
    default:
      return t`a program`;
  }
}

/** The address of the endpoint, and how a common client adds it. */
export function toConnectSamples(apiUrl: string) {
  const address = `${apiUrl}/mcp`;
  const command = `claude mcp add --transport http usage ${address}`;
  return {
    address,
    command,
    commandWithKey: `${command} --header "Authorization: Bearer $KEY"`,
  };
}
