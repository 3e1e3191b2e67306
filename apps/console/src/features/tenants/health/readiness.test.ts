import { describe, expect, it } from "vitest";
import { parseReadiness, ReadinessError } from "./readiness.ts";
import { toPartLabel, toPartStatus } from "./readiness.view-model.ts";

describe("parseReadiness", () => {
  it("lists the components in the order of the report, with their details", () => {
    const body = {
      status: "degraded",
      parts: { database: { status: "ready" }, changeFeed: { status: "stale", detail: "for 9 s" } },
    };
    expect(parseReadiness(body, 200)).toEqual({
      status: "degraded",
      parts: [
        { name: "database", status: "ready", detail: undefined },
        { name: "changeFeed", status: "stale", detail: "for 9 s" },
      ],
    });
  });

  it("treats an unready instance as an answer, not as a failed request", () => {
    expect(parseReadiness({ status: "unready", parts: {} }, 503).status).toBe("unready");
  });

  it.each([undefined, "<html>", { status: "fine", parts: {} }, { status: "ready" }])(
    "refuses what is no report: %j",
    (body) => {
      expect(() => parseReadiness(body, 502)).toThrow(ReadinessError);
      expect(() => parseReadiness(body, 502)).toThrow("status 502");
    },
  );
});

describe("the words of a component", () => {
  it("makes a label from any spelling of a name", () => {
    expect(["changeFeed", "change_feed", "change-feed", "journal"].map(toPartLabel)).toEqual([
      "Change feed",
      "Change feed",
      "Change feed",
      "Journal",
    ]);
  });

  it("does not judge a component by an unknown status", () => {
    expect(toPartStatus("recovering")).toEqual({ tone: "neutral", label: "Recovering" });
    expect(toPartStatus("toString").tone).toBe("neutral");
  });
});
