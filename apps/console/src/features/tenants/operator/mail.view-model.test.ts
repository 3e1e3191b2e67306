import { describe, expect, it } from "vitest";
import { isResendable, listLinks, toMailState } from "./mail.view-model.ts";

describe("toMailState", () => {
  it("does not call a mail sent that no mail server accepted", () => {
    expect(toMailState({ state: "sent", text: null }).label).toBe("Sent");
    expect(toMailState({ state: "sent", text: "Hello" }).label).toBe("Kept here");
    expect(toMailState({ state: "failed", text: "Hello" }).tone).toBe("danger");
    expect(toMailState({ state: "queued", text: "Hello" }).label).toBe("Queued");
  });
});

describe("isResendable", () => {
  it("is what did not leave and still has its text", () => {
    expect(isResendable({ state: "failed", text: "Hello" })).toBe(true);
    expect(isResendable({ state: "held", text: "Hello" })).toBe(true);
    expect(isResendable({ state: "bounced", text: null })).toBe(false);
    expect(isResendable({ state: "failed", text: null })).toBe(false);
    expect(isResendable({ state: "queued", text: "Hello" })).toBe(false);
  });
});

describe("listLinks", () => {
  it("finds each link once, exactly as written, without the surrounding sentence", () => {
    const text = `Accept the invitation here:
https://console.example.com/register#invitation=abc_-123

Or (see http://docs.example.com/a?b=c), again https://console.example.com/register#invitation=abc_-123.`;
    expect(listLinks(text)).toEqual([
      "https://console.example.com/register#invitation=abc_-123",
      "http://docs.example.com/a?b=c",
    ]);
  });

  it("finds none in a text without links, and nothing that runs a script", () => {
    expect(listLinks("Welcome.")).toEqual([]);
    expect(listLinks("javascript:alert(1) ftp://example.com")).toEqual([]);
  });
});
