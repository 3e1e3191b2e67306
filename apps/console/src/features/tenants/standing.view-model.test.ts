import { ROLES, type Role } from "@turnpike/domain/access/scopes";
import { describe, expect, it } from "vitest";
import {
  countOwners,
  findRemovalRefusal,
  findRoleRefusal,
  listGrantableRoles,
  mayDo,
} from "./standing.view-model.ts";

const member = (role: Role) => ({ role, isOperator: false });
const OPERATOR = { role: "viewer", isOperator: true } as const;
const ask = (by: Role, role: Role, ownerCount: number | undefined = 2, isSelf = false) => ({
  standing: member(by),
  role,
  ownerCount,
  isSelf,
});

describe("what a role may decide", () => {
  it("lets no one grant a role above their own", () => {
    expect(listGrantableRoles(member("owner"))).toEqual(ROLES);
    expect(listGrantableRoles(member("admin"))).toEqual([
      "admin",
      "developer",
      "billing",
      "viewer",
    ]);
    expect(listGrantableRoles(member("developer"))).toEqual([]);
    expect(listGrantableRoles({ role: "owner", isOperator: true })).toEqual(ROLES);
    expect(listGrantableRoles(OPERATOR)).toEqual(["billing", "viewer"]);
  });

  it("leaves settings to owners, admins and operators", () => {
    const may = ROLES.filter((role) => mayDo(member(role), "tenants:write"));
    expect(may).toEqual(["owner", "admin"]);
    expect(mayDo(OPERATOR, "tenants:write")).toBe(true);
    // What is the members' takes a role that has it.
    expect(mayDo(OPERATOR, "keys:write")).toBe(false);
    expect(mayDo({ role: "developer", isOperator: true }, "keys:write")).toBe(true);
  });
});

describe("findRoleRefusal", () => {
  it("lets owners decide about everyone, and admins about everyone but owners", () => {
    expect(findRoleRefusal(ask("owner", "admin"))).toBeUndefined();
    expect(findRoleRefusal(ask("owner", "owner"))).toBeUndefined();
    expect(findRoleRefusal(ask("admin", "viewer"))).toBeUndefined();
    expect(findRoleRefusal(ask("admin", "owner"))).toBe("Only an owner can change owners.");
    expect(findRoleRefusal(ask("developer", "viewer"))).toContain("Your role, developer, cannot");
  });

  it("keeps the last owner, whom an operator cannot demote either", () => {
    expect(findRoleRefusal(ask("owner", "owner", 1))).toContain("The only owner");
    const standing = { role: "owner", isOperator: true } as const;
    expect(findRoleRefusal({ standing, role: "owner", ownerCount: 1, isSelf: false })).toContain(
      "The only owner",
    );
    expect(findRoleRefusal(ask("owner", "owner", undefined))).toBeUndefined();
  });
});

describe("findRemovalRefusal", () => {
  it("lets everyone leave except the last owner", () => {
    expect(findRemovalRefusal(ask("viewer", "viewer", 1, true))).toBeUndefined();
    expect(findRemovalRefusal(ask("owner", "owner", 2, true))).toBeUndefined();
    expect(findRemovalRefusal(ask("owner", "owner", 1, true))).toContain("The only owner");
    expect(findRemovalRefusal(ask("viewer", "viewer", 1, false))).toContain("cannot");
  });
});

describe("countOwners", () => {
  it("knows the number only after seeing all members or at least two owners", () => {
    const of = (roles: Role[], nextCursor: string | null) =>
      countOwners({ items: roles.map((role) => ({ role })), nextCursor });
    expect(of(["owner", "viewer"], null)).toBe(1);
    expect(of(["owner", "viewer"], "next")).toBeUndefined();
    expect(of(["owner", "owner"], "next")).toBe(2);
  });
});
