import { describe, expect, it } from "vitest";
import { canGrantRole, ROLE_SCOPES, ROLES, SCOPES, TENANT_KEY_SCOPES } from "./scopes.ts";

describe("canGrantRole", () => {
  it.each([
    ["owner", ["owner", "admin", "developer", "billing", "viewer"]],
    ["admin", ["admin", "developer", "billing", "viewer"]],
    ["developer", []],
    ["billing", []],
    ["viewer", []],
  ] as const)("lets an %s give %j and nothing else", (role, granted) => {
    expect(ROLES.filter((other) => canGrantRole(role, other))).toEqual(granted);
  });

  it("never gives a scope that the giver lacks", () => {
    for (const role of ROLES) {
      for (const other of ROLES.filter((candidate) => canGrantRole(role, candidate))) {
        expect(ROLE_SCOPES[role]).toEqual(expect.arrayContaining([...ROLE_SCOPES[other]]));
      }
    }
  });
});

/** The operator's own scopes: neither a role nor a key of a tenant may have them. */
const OPERATOR_SCOPES = [
  "users:write",
  "service_keys:read",
  "service_keys:write",
  "catalog:write",
  "outbox:read",
  "outbox:write",
];

describe("scopes", () => {
  it("are named once each, as a noun and a verb", () => {
    expect(new Set(SCOPES).size).toBe(SCOPES.length);
    for (const scope of SCOPES) {
      expect(scope).toMatch(/^[a-z_]+:(read|write|verify|delete)$/);
    }
  });

  it.each(ROLES)(
    "of the role %s exist, are listed once, and include none of the operator's",
    (role) => {
      const scopes = ROLE_SCOPES[role];
      expect(SCOPES).toEqual(expect.arrayContaining([...scopes]));
      expect(new Set(scopes).size).toBe(scopes.length);
      expect(scopes.filter((scope) => OPERATOR_SCOPES.includes(scope))).toEqual([]);
    },
  );

  it("of a tenant's key cannot change its plan, its members or anything of the operator's", () => {
    const forbidden = [...OPERATOR_SCOPES, "tenants:write", "members:write", "keys:verify"];
    expect(TENANT_KEY_SCOPES.filter((scope) => forbidden.includes(scope))).toEqual([]);
  });
});
