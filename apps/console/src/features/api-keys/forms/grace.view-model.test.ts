import { KEY_GRACE_SECONDS } from "@turnpike/contract/keys";
import { TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import { describe, expect, it } from "vitest";
import { makeKey } from "../keys.fixture.ts";
import { GRACE_CHOICES, toGraceEndMs } from "./grace.view-model.ts";
import { listApiScopes, listManagementScopes } from "./key-scopes.ts";

describe("the grace periods", () => {
  it("are those of the API, each with an explanation", () => {
    const seconds = GRACE_CHOICES.map(({ value }) => Number(value));
    expect(seconds.toSorted((a, b) => a - b)).toEqual([...KEY_GRACE_SECONDS]);
    expect(GRACE_CHOICES.every(({ note }) => note !== undefined)).toBe(true);
  });

  it("never extend the life of a key", () => {
    expect(toGraceEndMs(makeKey(1), 60, 1000)).toBe(61_000);
    const ending = makeKey(1, { expiresAt: "1970-01-01T00:00:30.000Z" });
    expect(toGraceEndMs(ending, 60, 1000)).toBe(30_000);
  });
});

describe("the scopes of a key", () => {
  it("are all that a key may carry, each in plain words", () => {
    const choices = listManagementScopes({ role: "owner" }, []);
    expect(choices.map(({ scope }) => scope).toSorted()).toEqual([...TENANT_KEY_SCOPES].toSorted());
    // Whether a tenant reports its own usage is the operator's decision.
    expect(choices.filter(({ isOffered }) => !isOffered).map(({ scope }) => scope)).toEqual([
      "events:write",
    ]);
  });

  it("cannot be granted by someone who does not have them", () => {
    const missing = listManagementScopes({ role: "developer" }, []).filter(
      ({ isOffered }) => !isOffered,
    );
    expect(missing.map(({ scope }) => scope)).toEqual([
      "events:write",
      "audit:read",
      "webhooks:read",
      "webhooks:write",
    ]);
  });

  it("that the key already has stay available, in the plan or not", () => {
    const kept = listManagementScopes({ role: "developer" }, [
      "events:write",
      "audit:read",
      "webhooks:read",
      "webhooks:write",
    ]);
    expect(kept.every(({ isOffered }) => isOffered)).toBe(true);
    expect(listApiScopes(["maps:read"], ["maps:write", "keys:read"])).toEqual([
      { scope: "maps:read", text: "", isOffered: true },
      {
        scope: "maps:write",
        text: "Your plan does not allow it: it has no effect.",
        isOffered: true,
      },
    ]);
  });
});
