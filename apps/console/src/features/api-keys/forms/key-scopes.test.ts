import { describe, expect, it } from "vitest";
import { listManagementScopes } from "./key-scopes.ts";

const choiceOf = (scope: string, role: "owner" | "viewer", granted: string[] = []) =>
  listManagementScopes({ role }, granted).find((choice) => choice.scope === scope);

describe("scopes that a person cannot grant", () => {
  it("say whether another role has them or only the operator", () => {
    expect(choiceOf("events:write", "owner")).toEqual({
      scope: "events:write",
      text: "Report the tenant’s usage as events. Only the operator can grant it.",
      isOffered: false,
    });
    expect(choiceOf("keys:write", "viewer")?.text).toMatch(/\. Your role does not include it\.$/);
    expect(choiceOf("keys:write", "owner")?.isOffered).toBe(true);
  });

  it("can be taken away from a key that has them", () => {
    expect(choiceOf("events:write", "owner", ["events:write"])?.isOffered).toBe(true);
  });
});
