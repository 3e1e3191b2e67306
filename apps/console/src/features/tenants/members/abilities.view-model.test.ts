import { ROLE_SCOPES } from "@turnpike/domain/access/scopes";
import { expect, it } from "vitest";
import { ABILITIES, listOffered, listWithoutWords } from "./abilities.view-model.ts";

it("has words for all that a role may do, each once", () => {
  expect(listWithoutWords()).toEqual([]);
  expect(new Set(ABILITIES.map(({ text }) => text)).size).toBe(ABILITIES.length);
});

it("offers for a role what its maker has, and never what owners alone have", () => {
  const offered = (role: keyof typeof ROLE_SCOPES) =>
    listOffered(ROLE_SCOPES[role]).map(({ scope }) => scope);
  expect(offered("owner")).toEqual(offered("admin"));
  expect(offered("owner")).not.toContain("tenants:delete");
  expect(offered("viewer").every((scope) => ROLE_SCOPES.viewer.includes(scope))).toBe(true);
});
