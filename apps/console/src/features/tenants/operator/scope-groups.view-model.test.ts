import { SCOPES } from "@turnpike/domain/access/scopes";
import { expect, it } from "vitest";
import { SCOPE_GROUPS } from "./scope-groups.view-model.ts";

it("offers every scope once, grouped by resource", () => {
  const offered = SCOPE_GROUPS.flatMap(({ scopes }) => scopes.map(({ scope }) => scope));
  expect(offered.toSorted()).toEqual([...SCOPES].toSorted());
  expect(SCOPE_GROUPS.find(({ noun }) => noun === "Service keys")?.scopes).toEqual([
    { scope: "service_keys:read", verb: "Read" },
    { scope: "service_keys:write", verb: "Write" },
  ]);
  expect(SCOPE_GROUPS.find(({ noun }) => noun === "Single sign-on")?.scopes).toEqual([
    { scope: "sso:read", verb: "Read" },
    { scope: "sso:write", verb: "Write" },
  ]);
});
