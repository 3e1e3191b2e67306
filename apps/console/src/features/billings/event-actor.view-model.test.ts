import { describe, expect, it } from "vitest";
import { toEventActor } from "./event-actor.view-model.ts";

const names = { readerId: "usr_1", people: new Map([["usr_2", "Bob"]]) };

describe("toEventActor", () => {
  it.each([
    ["user:usr_1", "You"],
    ["user:usr_2", "Bob"],
    ["user:usr_3", "A non-member"],
    ["system:billing", "By itself"],
    ["key:key_1", "An API key"],
    ["something-else", "something-else"],
  ])("names %s %s", (actor, name) => {
    expect(toEventActor(actor, names)).toBe(name);
  });
});
