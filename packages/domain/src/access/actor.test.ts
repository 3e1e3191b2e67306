import { describe, expect, it } from "vitest";
import { AppError } from "../errors/app-error.ts";
import { toId } from "../ids/ids.ts";
import {
  type Actor,
  assertMay,
  assertMayInTenant,
  findMissingScope,
  getPerson,
  may,
  mayInTenant,
} from "./actor.ts";
import { ROLE_SCOPES, ROLES, type Role, SCOPES, type Scope } from "./scopes.ts";

const ours = toId("tenant", "0199f3b0c1d27a4e8f60112233445566");
const theirs = toId("tenant", "0199f3b0c1d27a4e8f60112233445567");
const key = (...scopes: Scope[]): Actor => ({ type: "key", id: "key_1", tenantId: ours, scopes });
const serviceKey = (...scopes: Scope[]): Actor => ({ type: "service_key", id: "svc_1", scopes });
const userId = toId("user", "0199f3b0c1d27a4e8f60112233445566");
const person = (roles: readonly [typeof ours, Role][], isOperator = false): Actor => ({
  type: "user",
  id: userId,
  isOperator,
  roles: new Map(roles),
});
const operator: Actor = { type: "operator", id: "op" };
const system: Actor = { type: "system", id: "start" };

function outcomeOf(work: () => void): string {
  try {
    work();
    return "passes";
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

describe("assertMay", () => {
  it.each([
    [operator, "passes", "an operator holds every scope"],
    [system, "passes", "so does Turnpike itself"],
    [serviceKey("keys:read"), "passes", "a service key that holds it"],
    [serviceKey("keys:write"), "INSUFFICIENT_SCOPE", "write does not include read"],
    [serviceKey(), "INSUFFICIENT_SCOPE", "a service key without scopes"],
    [key("keys:read"), "INSUFFICIENT_SCOPE", "a tenant's key never acts on the whole installation"],
    [person([], true), "passes", "a person who is an operator"],
    [person([[ours, "owner"]]), "INSUFFICIENT_SCOPE", "a role ends at the tenant's border"],
    [person([]), "INSUFFICIENT_SCOPE", "a person who has just registered"],
  ])("%j: %s (%s)", (actor, outcome) => {
    expect(outcomeOf(() => assertMay(actor, "keys:read"))).toBe(outcome);
  });

  it("names the scope that is missing", () => {
    expect(() => assertMay(serviceKey(), "keys:read")).toThrow(
      expect.objectContaining({ extensions: { requiredScope: "keys:read" } }),
    );
  });
});

describe("assertMayInTenant", () => {
  it.each([
    [operator, theirs, "passes", "an operator in any tenant"],
    [
      serviceKey("keys:read"),
      theirs,
      "passes",
      "a service key that holds the scope, in any tenant",
    ],
    [serviceKey("keys:write"), ours, "INSUFFICIENT_SCOPE", "a service key that does not"],
    [key("keys:read"), ours, "passes", "a key in its own tenant"],
    [
      key("keys:write"),
      ours,
      "INSUFFICIENT_SCOPE",
      "a key that lacks the scope, in its own tenant",
    ],
    [key("keys:read"), theirs, "RESOURCE_NOT_FOUND", "a key in another tenant"],
    [
      key(),
      theirs,
      "RESOURCE_NOT_FOUND",
      "with any scopes: nothing reveals that the tenant exists",
    ],
    [person([], true), theirs, "passes", "a person who is an operator, in any tenant"],
    [person([[ours, "viewer"]]), ours, "passes", "a member, by the role"],
    [person([[ours, "owner"]]), theirs, "RESOURCE_NOT_FOUND", "an owner in another tenant"],
    [person([]), ours, "RESOURCE_NOT_FOUND", "a member of no tenant"],
  ])("%j in %s: %s (%s)", (actor, tenantId, outcome) => {
    expect(outcomeOf(() => assertMayInTenant(actor, "keys:read", tenantId))).toBe(outcome);
  });
});

describe("a member", () => {
  it.each(ROLES)(
    "a person who is %s holds the scopes of that role, in that tenant, and no other",
    (role) => {
      const actor = person([[ours, role]]);
      for (const scope of SCOPES) {
        const isHeld = ROLE_SCOPES[role].includes(scope);
        expect(mayInTenant(actor, scope, ours)).toBe(isHeld);
        expect(outcomeOf(() => assertMayInTenant(actor, scope, ours))).toBe(
          isHeld ? "passes" : "INSUFFICIENT_SCOPE",
        );
        expect(mayInTenant(actor, scope, theirs)).toBe(false);
        expect(may(actor, scope)).toBe(false);
        expect(outcomeOf(() => assertMayInTenant(actor, scope, theirs))).toBe("RESOURCE_NOT_FOUND");
      }
    },
  );
});

describe("an operator with a role in a tenant", () => {
  it("has what operators have in every tenant and what the role allows, not all of what is its members'", () => {
    for (const scope of SCOPES) {
      const without = mayInTenant(person([], true), scope, ours);
      for (const role of ROLES) {
        const isAllowed = without || ROLE_SCOPES[role].includes(scope);
        expect(mayInTenant(person([[ours, role]], true), scope, ours), `${role} ${scope}`).toBe(
          isAllowed,
        );
        expect(mayInTenant(person([[ours, role]], true), scope, theirs)).toBe(without);
      }
    }
    const viewer = person([[ours, "viewer"]], true);
    expect(outcomeOf(() => assertMayInTenant(viewer, "keys:write", ours))).toBe(
      "INSUFFICIENT_SCOPE",
    );
  });
});

describe("findMissingScope", () => {
  it("lets an actor give a role exactly when they hold each of its scopes in that tenant", () => {
    const actors = [
      operator,
      system,
      person([], true),
      ...ROLES.map((role) => person([[ours, role]])),
      ...SCOPES.map((scope) => serviceKey(scope)),
      ...ROLES.map((role) => serviceKey(...ROLE_SCOPES[role])),
      ...ROLES.map((role) => key(...ROLE_SCOPES[role])),
    ];
    for (const actor of actors) {
      for (const role of ROLES) {
        for (const tenantId of [ours, theirs]) {
          const missing = findMissingScope(actor, role, tenantId);
          const lacked = ROLE_SCOPES[role].filter((scope) => !mayInTenant(actor, scope, tenantId));
          expect(missing, `${JSON.stringify(actor)} ${role}`).toBe(lacked[0]);
        }
      }
    }
    expect(findMissingScope(serviceKey("members:write"), "viewer", ours)).toBe("tenants:read");
    expect(findMissingScope(serviceKey(...SCOPES), "owner", ours)).toBeUndefined();
  });
});

describe("getPerson", () => {
  it("accepts people and refuses every program, with any scopes", () => {
    expect(getPerson(person([]))).toMatchObject({ id: userId });
    for (const actor of [operator, system, serviceKey(...SCOPES), key(...SCOPES)]) {
      expect(outcomeOf(() => getPerson(actor))).toBe("INSUFFICIENT_SCOPE");
    }
  });
});
