import { ROLE_SCOPES, ROLES, SCOPES } from "@turnpike/domain/access/scopes";
import { describe, expect, it } from "vitest";
import { mayInTenant } from "./may-in-tenant.ts";

describe("mayInTenant", () => {
  it.each(ROLES)("lets %s do what the role holds, and nothing else", (role) => {
    const held = SCOPES.filter((scope) => mayInTenant({ role }, scope));
    expect(new Set(held)).toEqual(new Set(ROLE_SCOPES[role]));
  });

  it.each(ROLES)(
    "lets who visits as operator read everything and change nothing, seen like %s",
    (role) => {
      for (const scope of SCOPES) {
        expect(mayInTenant({ role, isVisited: true }, scope)).toBe(scope.endsWith(":read"));
      }
    },
  );

  it("leaves money and the end of a tenant to its owners while an operator acts there", () => {
    const held = ROLE_SCOPES.admin.filter(
      (scope) => !mayInTenant({ role: "admin", isActed: true }, scope),
    );
    expect(held).toEqual(["billing:write"]);
    expect(mayInTenant({ role: "owner", isActed: true }, "tenants:delete")).toBe(false);
  });
});
