import { BASIC_SCOPES, ROLES, type Scope } from "@turnpike/domain/access/scopes";
import { expect, it } from "vitest";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { maySeeScreen, SCREENS } from "./screens.tsx";

const seenBy = (named: Pick<OwnTenant, "role" | "customRole">, isOperator = false) =>
  SCREENS.map(({ to }) => to).filter((to) => maySeeScreen(to, named as OwnTenant, isOperator));

it("shows every screen to every built-in role, and to a role of the tenant what its scopes reach", () => {
  const all = SCREENS.map(({ to }) => to);
  for (const role of ROLES) {
    expect(seenBy({ role })).toEqual(all);
  }
  const made = (...scopes: Scope[]) => ({
    role: "rol_1" as const,
    customRole: { name: "Bookkeeping", scopes: [...BASIC_SCOPES, ...scopes] },
  });
  expect(seenBy(made())).toEqual(["/plans", "/tenants"]);
  expect(seenBy(made("billing:read"))).toContain("/billings");
  expect(seenBy(made(), true)).toEqual(all);
  expect(seenBy({ role: "rol_1" })).toEqual(["/plans", "/tenants"]);
});
