import { WEBHOOK_EVENT_TYPES } from "@turnpike/domain/webhooks/event-types";
import { describe, expect, it } from "vitest";
import {
  EVENT_GROUPS,
  toAttemptText,
  toDeliveryState,
  toEventsText,
  toReadableBody,
  toWebhookState,
} from "./webhook.view-model.ts";

describe("an endpoint", () => {
  it.each([
    ["enabled", null, "Enabled"],
    ["enabled", "2026-11-20T10:00:00.000Z", "Failing"],
    ["disabled", null, "Disabled"],
    ["auto_disabled", "2026-11-20T10:00:00.000Z", "Disabled after failures"],
  ] as const)("that is %s, failing since %s, is %s", (state, failingSince, label) => {
    expect(toWebhookState({ state, failingSince }).label).toBe(label);
  });

  it("lists the events that it receives", () => {
    expect(toEventsText(["*"])).toBe("Every event");
    expect(toEventsText(["key.created"])).toBe("key.created");
    expect(toEventsText(["key.created", "key.revoked"])).toBe("key.created, key.revoked");
    expect(toEventsText(["key.created", "key.revoked", "member.added"])).toBe("3 events");
  });
});

describe("events", () => {
  it("are offered once each, grouped by noun", () => {
    expect(EVENT_GROUPS.map(({ noun }) => noun)).toEqual([
      "Keys",
      "Tenants",
      "Members",
      "Invitations",
      "Alerts",
      "Quotas",
      "Spend caps",
      "Credits",
      "Forecasts",
      "Subscriptions",
      "Invoices",
      "Credit notes",
      "Insights",
    ]);
    expect(EVENT_GROUPS.flatMap(({ types }) => types)).toEqual([...WEBHOOK_EVENT_TYPES]);
  });
});

describe("a delivery", () => {
  it.each([
    ["pending", 0, "Sending"],
    ["pending", 3, "Retrying later"],
    ["succeeded", 1, "Delivered"],
    ["failed", 10, "Failed"],
  ] as const)("that is %s after %i attempts is %s", (state, attempts, label) => {
    expect(toDeliveryState({ state, attempts }).label).toBe(label);
  });

  it("shows the response of an attempt, or why there was none", () => {
    const attempt = { attempt: 1, startedAt: "", durationMs: 35, response: "" };
    expect(toAttemptText({ ...attempt, status: 200, error: null })).toBe(
      "Answered 200 after 35 ms",
    );
    expect(toAttemptText({ ...attempt, status: null, error: "No answer in time." })).toBe(
      "No answer in time. (after 35 ms)",
    );
  });

  it("shows its body over several lines, and one that is not JSON as it is", () => {
    expect(toReadableBody('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(toReadableBody("{broken")).toBe("{broken");
  });
});
