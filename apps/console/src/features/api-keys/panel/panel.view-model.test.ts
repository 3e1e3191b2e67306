import { auditEntry } from "@turnpike/contract/audit";
import { describe, expect, it } from "vitest";
import { makeUsageReport, makeUsageRow } from "#platform/usage-report.fixture.ts";
import type { AuditEntry } from "../api-keys.queries.ts";
import { MAKER_ID, toTestKeyId } from "../keys.fixture.ts";
import { toDenials } from "./denials.view-model.ts";
import { hasMaking, toTrailLine } from "./key-trail.view-model.ts";

const PEOPLE = new Map([[MAKER_ID, "Ada"]]);

const entry = (action: string, details: Record<string, unknown> = {}): AuditEntry =>
  auditEntry.parse({
    auditId: "aud_1",
    occurredAt: "2026-11-21T12:00:00.000Z",
    actorType: "user",
    actorId: MAKER_ID,
    action,
    entityType: "key",
    entityId: toTestKeyId(1),
    requestId: null,
    details,
  });

describe("toTrailLine", () => {
  it("names the actor", () => {
    expect(toTrailLine(entry("key.disabled"), PEOPLE)).toEqual({
      title: "Disabled",
      details: [],
      actor: "Ada",
    });
  });

  it("shows the old and the new value", () => {
    const details = {
      name: ["Old", "New"],
      scopes: [[], ["keys:read", "usage:read"]],
      expiresAt: [null, null],
      metadata: "changed",
      allowedNetworks: [[], ["10.0.0.0/8"]],
      rateLimits: [[{ name: "burst", limit: 10, windowSeconds: 60 }], []],
      quotas: [[], [{ meter: "requests", limit: 5_000 }]],
    };
    expect(toTrailLine(entry("key.updated", details), PEOPLE).details).toEqual([
      "Name: Old → New",
      "Scopes: none → keys:read, usage:read",
      "Expires: never → never",
      "Networks: from anywhere → 10.0.0.0/8",
      "Rate limits: burst: 10 calls in 60 s → none",
      "Quotas: none → requests: 5,000 in a billing period",
      "Metadata changed",
    ]);
  });

  it("does not report the name of a new key as a change", () => {
    expect(toTrailLine(entry("key.created", { name: "New" }), PEOPLE).details).toEqual([]);
  });

  it("says how much grace a rolled key got", () => {
    const lines = [0, 86_400, 7].map(
      (graceSeconds) => toTrailLine(entry("key.rolled", { graceSeconds }), PEOPLE).details[0],
    );
    expect(lines).toEqual([
      "With no grace period",
      "With 1 day of grace",
      "With 7 seconds of grace",
    ]);
  });

  it("says where a key was found in public", () => {
    const details = { name: "Worker", source: "commit", place: "https://example.com/a" };
    const line = toTrailLine(entry("key.leak_found", details), PEOPLE);
    expect(line.title).toBe("Found in public");
    expect(line.details).toEqual(["Found at: https://example.com/a", "Source: commit"]);
    const revoked = entry("key.leak_revoked", { ...details, place: "" });
    expect(toTrailLine(revoked, PEOPLE)).toMatchObject({
      title: "Found in public and revoked",
      details: ["Found at: no address was given", "Source: commit"],
    });
  });

  it("falls back to the words of an unknown action", () => {
    expect(toTrailLine(entry("key.limits_changed"), PEOPLE).title).toBe("limits changed");
  });
});

describe("hasMaking", () => {
  it("distinguishes a trail that starts with the key's creation from that of a rolled or imported key", () => {
    expect(hasMaking([entry("key.disabled"), entry("key.created")])).toBe(true);
    expect(hasMaking([entry("key.rolled")])).toBe(false);
    expect(hasMaking([])).toBe(false);
  });
});

describe("toDenials", () => {
  it("adds up each reason over the days, the most frequent first, without allowed calls", () => {
    const report = makeUsageReport({
      rows: [
        makeUsageRow(0, { outcome: "VALID" }, { requests: 5, denied: 0 }),
        makeUsageRow(0, { outcome: "DISABLED" }, { requests: 2, denied: 2 }),
        makeUsageRow(1, { outcome: "RATE_LIMITED" }, { requests: 9, denied: 9 }),
        makeUsageRow(2, { outcome: "DISABLED" }, { requests: 3, denied: 3 }),
      ],
      totals: { requests: 19, denied: 14 },
    });
    const { items, total } = toDenials(report);
    expect(items.map(({ label, detail, value }) => [label, detail, value])).toEqual([
      ["Rate limited", "RATE_LIMITED", 9],
      ["Key disabled", "DISABLED", 5],
    ]);
    expect(total).toBe(14);
  });

  it("is empty when nothing was denied", () => {
    expect(toDenials(makeUsageReport({ totals: { requests: 0, denied: 0 } }))).toEqual({
      items: [],
      total: 0,
    });
  });
});
