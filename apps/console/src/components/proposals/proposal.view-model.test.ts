import { describe, expect, it } from "vitest";
import {
  listProposalFacts,
  scopeOfChange,
  toProposalTitle,
  toProposerName,
} from "./proposal.view-model.ts";
import type { Proposal } from "./proposals.queries.ts";

const KEY: Pick<Proposal, "change"> = {
  change: {
    do: "create_key",
    key: {
      name: "Import",
      environment: "live",
      scopes: ["usage:read", "keys:read"],
      allowedNetworks: ["192.0.2.0/24"],
      expiresAt: "2027-01-01T00:00:00.000Z",
    },
  },
};
const CAP: Pick<Proposal, "change"> = { change: { do: "set_spend_cap", amount: "75.00" } };

describe("a proposal", () => {
  it("says what it does and shows all that it asks for", () => {
    expect(toProposalTitle(KEY)).toBe("Create the live key Import");
    expect(listProposalFacts(KEY).map(({ value }) => value)).toEqual([
      "usage:read, keys:read",
      "192.0.2.0/24",
      "2027-01-01",
    ]);
    expect(toProposalTitle(CAP)).toBe("Set the spend cap to 75.00");
    expect([scopeOfChange(KEY), scopeOfChange(CAP)]).toEqual(["keys:write", "billing:write"]);
  });

  it("names the key of the agent", () => {
    const names = new Map([["key_1", "Assistant"]]);
    expect(toProposerName("key:key_1", names)).toBe("an agent with the key Assistant");
    expect(toProposerName("key:key_2", names)).toBe("an agent with the key key_2");
    expect(toProposerName("agent:agr_1", names)).toBe("an agent that a member connected");
  });
});
