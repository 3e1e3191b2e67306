import { AGENT_SCOPES } from "@turnpike/contract/agent-grants";
import { describe, expect, it } from "vitest";
import { listGivable, parseConnectSearch, SCOPE_WORDS } from "./connect.view-model.ts";

describe("a request to connect", () => {
  it("is read from the address, and nothing else is", () => {
    const request = "a".repeat(21);
    expect(parseConnectSearch({ request, error: "expired" })).toEqual({
      request,
      error: "expired",
    });
    for (const other of [`${request}/..`, "short", 7, undefined]) {
      expect(parseConnectSearch({ request: other, error: other })).toEqual({});
    }
  });

  it("says every scope in words, and offers what the role of the person has", () => {
    expect(Object.keys(SCOPE_WORDS).sort()).toEqual([...AGENT_SCOPES].sort());
    expect(listGivable(AGENT_SCOPES, { role: "developer" })).toEqual(AGENT_SCOPES);
    expect(listGivable(AGENT_SCOPES, { role: "viewer" })).not.toContain("proposals:write");
    expect(listGivable(AGENT_SCOPES, undefined)).toEqual([]);
  });
});
