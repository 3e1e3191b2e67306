import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { expectStory } from "./expect-story.fixture.ts";

function readStories(name: string) {
  return readFileSync(join(import.meta.dirname, "stories", name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const EXAMPLES = ["worked-examples.jsonl", "rules.jsonl", "credit-and-tax.jsonl"].flatMap(
  readStories,
);

describe("playStory", () => {
  it.each(EXAMPLES.map((story) => [story.area, story.id, story]))(
    "comes to what the source says: %s, %s",
    (_area, _id, story) => {
      expectStory(story);
    },
  );
});
