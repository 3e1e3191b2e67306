import { describe, expect, it } from "vitest";
import { toMeterDraft } from "./meter-draft.view-model.ts";
import { readSamples, toSampleText } from "./sample-events.view-model.ts";

describe("toSampleText", () => {
  it("is an event that the draft would count, however much is filled in", () => {
    const draft = { ...toMeterDraft(undefined), eventType: "llm.call", valuePointer: "/a/tokens" };
    expect(JSON.parse(toSampleText(draft))).toEqual({
      specversion: "1.0",
      type: "llm.call",
      source: "/sample",
      id: "1",
      data: { a: { tokens: 42 } },
    });
    expect(JSON.parse(toSampleText(toMeterDraft(undefined)))).toMatchObject({ type: "my.event" });
  });
});

describe("readSamples", () => {
  it("accepts one event and lists of events", () => {
    expect(readSamples('{"id":"1"}')).toEqual({ ok: true, events: [{ id: "1" }] });
    expect(readSamples("[1, 2]")).toEqual({ ok: true, events: [1, 2] });
  });

  it.each([
    ["", "Paste an event as JSON."],
    ["[]", "Enter 1 to 100 events."],
    [JSON.stringify(Array.from({ length: 101 }, () => 1)), "Enter 1 to 100 events."],
    ["{tokens: 1}", "This is not JSON"],
  ])("says what is wrong with %s", (text, message) => {
    const read = readSamples(text);
    expect(read.ok ? "" : read.message).toContain(message);
  });
});
