import { describe, expect, it } from "vitest";
import { rankCommands, scoreCommand } from "./command-match.view-model.ts";

const COMMANDS = [
  { label: "Overview", words: "home dashboard" },
  { label: "API keys", words: "credentials revoke" },
  { label: "Analytics", words: "usage latency" },
  { label: "Plans", words: "prices limits" },
  { label: "Create key", words: "new add" },
  { label: "Größe GmbH", words: "groesse switch tenant" },
];

function best(query: string): string | undefined {
  return rankCommands(COMMANDS, query)[0]?.label;
}

describe("rankCommands", () => {
  it.each([
    ["over", "Overview", "the start of the label"],
    ["key", "API keys", "the start of a word; of equals the first"],
    ["latency", "Analytics", "another word for it"],
    ["ytics", "Analytics", "inside of a word"],
    ["apk", "API keys", "its letters in order"],
    ["key new", "Create key", "every word typed, in any order"],
    ["  OVER  view ", "Overview", "spaces and case mean nothing"],
    ["grosse", undefined, "ß is no s"],
    ["große", "Größe GmbH", "accents mean nothing"],
    ["overs", undefined, "a letter too many"],
  ])("takes %j for %s: %s", (query, label, _why) => {
    expect(best(query)).toBe(label);
  });

  it("keeps everything in its order while nothing is typed", () => {
    expect(rankCommands(COMMANDS, " ")).toEqual(COMMANDS);
  });

  it("puts the start of a label before the start of another word for it", () => {
    expect(
      rankCommands([{ label: "Tenants", words: "plans" }, { label: "Plans" }], "plan")[0],
    ).toEqual({
      label: "Plans",
    });
  });
});

describe("scoreCommand", () => {
  it("is undefined when one of the words is not met", () => {
    expect(scoreCommand({ label: "API keys" }, "keys zzz")).toBe(undefined);
  });
});
