import { KEY_GRACE_SECONDS } from "@turnpike/contract/keys";
import { TENANT_KEY_SCOPES } from "@turnpike/domain/access/scopes";
import { describe, expect, it } from "vitest";
import { makeKey } from "../keys.fixture.ts";
import { GRACE_CHOICES, toGraceEndMs } from "./grace.view-model.ts";
import { listScopeChoices } from "./key-scopes.ts";

describe("the grace periods", () => {
  it("are those of the API, each with what it means", () => {
    const seconds = GRACE_CHOICES.map(({ value }) => Number(value));
    expect(seconds.toSorted((a, b) => a - b)).toEqual([...KEY_GRACE_SECONDS]);
    expect(GRACE_CHOICES.every(({ note }) => note !== undefined)).toBe(true);
  });

  it("never make a key live longer than it would have", () => {
    expect(toGraceEndMs(makeKey(1), 60, 1000)).toBe(61_000);
    const ending = makeKey(1, { expiresAt: "1970-01-01T00:00:30.000Z" });
    expect(toGraceEndMs(ending, 60, 1000)).toBe(30_000);
  });
});

describe("the scopes of a key", () => {
  it("are all that a key may carry, each in plain words", () => {
    const choices = listScopeChoices("owner");
    expect(choices.map(({ scope }) => scope).toSorted()).toEqual([...TENANT_KEY_SCOPES].toSorted());
    expect(choices.every(({ isHeld }) => isHeld)).toBe(true);
  });

  it("cannot be given by who does not hold them", () => {
    const missing = listScopeChoices("developer").filter(({ isHeld }) => !isHeld);
    expect(missing.map(({ scope }) => scope)).toEqual(["audit:read"]);
  });
});
