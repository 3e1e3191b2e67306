import { describe, expect, it } from "vitest";
import { makeAlert } from "./alert.fixture.ts";
import {
  countFiring,
  toAlertState,
  toLastValueText,
  toNotifiedText,
  toPreviewSummary,
  toRuleFacts,
  toRuleText,
} from "./alert.view-model.ts";
import { toAlertTimeline, toFiringSpans, toPreviewSpans } from "./alert-chart.view-model.ts";
import {
  draftFromAlert,
  draftFromView,
  findDraftFaults,
  listFilterTexts,
  toForText,
  toRule,
  unitOf,
} from "./alert-draft.view-model.ts";
import { toQuestionSearch } from "./alert-question.view-model.ts";
import type { AlertEvent, AlertPreview } from "./alerts.queries.ts";
import { parseAlertsSearch } from "./alerts-search.view-model.ts";

describe("the draft of an alert", () => {
  it("starts with the filters of the current view", () => {
    const draft = draftFromView({ filters: { route: ["/a,b"], status: ["404", "500"], key: [] } });
    expect(draft.filters).toEqual({ status: "404,500", route: "/a\\,b" });
    expect(findDraftFaults(draft)).toEqual({
      name: expect.any(String),
      threshold: expect.any(String),
    });
    expect(toRule(draft)).toBeUndefined();
  });

  it("takes shares in percent, and changes of shares unconverted", () => {
    const draft = { ...draftFromView({ filters: {} }), measure: "error_rate", name: "A" };
    expect(toRule({ ...draft, threshold: 5, clear: 1 })?.condition).toEqual({
      kind: "above",
      threshold: 0.05,
      clear: 0.01,
    });
    expect(toRule({ ...draft, kind: "change", threshold: 50 })?.condition).toEqual({
      kind: "change",
      direction: "up",
      threshold: 50,
    });
    expect(toRule({ ...draft, kind: "no_data" })?.condition).toEqual({ kind: "no_data" });
    expect(unitOf("error_rate", "above")).toBe("%");
    expect(unitOf("latency_p95", "below")).toBe("ms");
    expect(unitOf("requests", "above")).toBeUndefined();
  });

  it("made from an alert gives the same rule", () => {
    const alert = makeAlert();
    const draft = draftFromAlert(alert);
    expect(draft).toMatchObject({ threshold: 5, clear: 1, windowMinutes: 5 });
    expect(toRule(draft)).toEqual({
      query: alert.query,
      windowMinutes: 5,
      condition: alert.condition,
      forEvaluations: 2,
      renotifyMinutes: 60,
    });
    const plain = makeAlert({ condition: { kind: "below", threshold: 3, clear: 3 } });
    expect(draftFromAlert(plain).clear).toBeNull();
    expect(findDraftFaults(draftFromAlert(makeAlert({ condition: { kind: "no_data" } })))).toEqual(
      {},
    );
  });

  it("lists its filters and says how long consecutive evaluations take", () => {
    const filters = { key: "key_1,key_2", route: "/a\\,b", event: "model:small" };
    expect(listFilterTexts(filters, (keyId) => `Key ${keyId}`)).toEqual([
      "Key: Key key_1, Key key_2",
      "Route: /a,b",
      "Event dimension: model: small",
    ]);
    expect(toForText({ forEvaluations: 3, windowMinutes: 5 })).toBe("3 minutes");
    expect(toForText({ forEvaluations: 10, windowMinutes: 360 })).toBe("1 hour");
    expect(toForText({ forEvaluations: null, windowMinutes: 5 })).toBe("1 minute");
  });
});

describe("an alert in the list", () => {
  it("has its state in a word", () => {
    const labelOf = (input: Parameters<typeof makeAlert>[0]) =>
      toAlertState(makeAlert(input)).label;
    expect(labelOf({})).toBe("OK");
    expect(labelOf({ phase: "firing" })).toBe("Firing");
    expect(labelOf({ phase: "pending" })).toBe("Pending");
    expect(labelOf({ isPaused: true, phase: "firing" })).toBe("Paused");
    expect(labelOf({ lastError: "gone" })).toBe("Cannot be evaluated");
    expect(labelOf({ evaluatedTo: null })).toBe("Waiting for first check");
    expect(countFiring([makeAlert({ phase: "firing" }), makeAlert()])).toBe(1);
  });

  it("has its rule and its last value in words", () => {
    expect(toRuleText(makeAlert(), [])).toBe("Error rate above 5% in 5 minutes");
    expect(toLastValueText(makeAlert(), [])).toBe("0.1%");
    expect(toLastValueText(makeAlert({ lastValue: null }), [])).toBe("no data");
    expect(toLastValueText(makeAlert({ evaluatedTo: null }), [])).toBe("–");
    const tokens = makeAlert({
      query: { measure: "meter:tokens", filters: {} },
      condition: { kind: "above", threshold: 1_000, clear: 800 },
      lastValue: 1_204,
    });
    const meters = [{ meterId: "tokens", name: "LLM usage", unit: "token" }];
    expect(toRuleText(tokens, meters)).toBe("LLM usage above 1,000 tokens in 5 minutes");
    expect(toLastValueText(tokens, meters)).toBe("1,204 tokens");
  });

  it("says how it measures and decides, and whom it notifies", () => {
    expect(toRuleFacts(makeAlert(), [])).toEqual({
      window: "The last 5 minutes, checked every minute once its usage is recorded",
      fires: "Error rate above 5% in 5 minutes, 2 times in a row (about 2 minutes)",
      recovers: "At 1% or less, 2 times in a row (about 2 minutes)",
    });
    expect(
      toNotifiedText(makeAlert({ mailRoles: ["owner", "admin"], renotifyMinutes: null })),
    ).toBe("Everyone in the console, owners and admins by e-mail, and webhooks; once");
  });

  it("links to the usage that it watches", () => {
    expect(
      toQuestionSearch({
        query: { measure: "meter:tokens", filters: { environment: "live", route: "/a" } },
        windowMinutes: 60,
      }),
    ).toEqual({ range: "30d", meter: "tokens", route: "/a", environment: "live" });
  });
});

const at = (time: string) => Date.parse(`2026-11-20T${time}:00Z`);

describe("a preview", () => {
  const preview: AlertPreview = {
    from: "2026-11-20T11:50:00.000Z",
    to: "2026-11-20T12:00:00.000Z",
    everyMinutes: 5,
    points: [
      { at: "2026-11-20T11:55:00.000Z", value: 1, phase: "ok" },
      { at: "2026-11-20T12:00:00.000Z", value: 9, phase: "firing" },
    ],
    notices: [{ at: "2026-11-20T12:00:00.000Z", notice: "firing", value: 9 }],
  };
  const condition = { kind: "above" as const, threshold: 5 };

  it("draws the measured values, the threshold lines, and where the alert fires", () => {
    const hysteresis = { ...condition, clear: 3 };
    const { buckets, series, stretches } = toAlertTimeline(
      preview,
      hysteresis,
      toPreviewSpans(preview),
    );
    expect(buckets[0]).toEqual({ fromMs: at("11:50"), toMs: at("11:55") });
    expect(series.map(({ key, values }) => [key, values])).toEqual([
      ["value", [1, 9]],
      ["threshold", [5, 5]],
      ["clear", [3, 3]],
    ]);
    expect(stretches.spans).toEqual([{ fromMs: at("11:55"), toMs: at("12:00") }]);
    expect(toPreviewSummary(preview)).toBe("It would have fired once.");
  });

  it("draws the threshold of a change relative to the window before", () => {
    const change = { kind: "change" as const, direction: "up" as const, threshold: 50 };
    const quiet = {
      ...preview,
      points: preview.points.map((point) => ({ ...point, phase: "ok" as const })),
      notices: [],
    };
    const spans = toPreviewSpans(quiet);
    expect(spans).toEqual([]);
    const { series } = toAlertTimeline(quiet, change, spans);
    expect(series.map(({ key, values }) => [key, values])).toEqual([
      ["value", [1, 9]],
      ["threshold", [null, 1.5]],
    ]);
    expect(toPreviewSummary(quiet)).toBe("It would not have fired.");
  });
});

describe("the times when an alert was firing", () => {
  const known = { sinceMs: at("10:00"), nowMs: at("12:00") };
  const happen = (time: string, what: AlertEvent["what"]) => ({
    at: `2026-11-20T${time}:00.000Z`,
    what,
  });
  const ok = { phase: "ok" as const, phaseSince: null };

  it("end with a recovery, a pause or a rule change, or are still running", () => {
    const ended = [
      happen("11:40", "changed"),
      happen("11:30", "firing"),
      happen("11:20", "paused"),
      happen("11:15", "reminder"),
      happen("11:10", "firing"),
      happen("10:30", "recovered"),
      happen("10:20", "firing"),
    ];
    expect(toFiringSpans(ok, ended, known)).toEqual([
      { fromMs: at("10:20"), toMs: at("10:30") },
      { fromMs: at("11:10"), toMs: at("11:20") },
      { fromMs: at("11:30"), toMs: at("11:40") },
    ]);
    const firing = { phase: "firing" as const, phaseSince: "2026-11-20T11:50:00.000Z" };
    expect(toFiringSpans(firing, [happen("11:51", "firing")], known)).toEqual([
      { fromMs: at("11:51"), toMs: at("12:00") },
    ]);
  });

  it("begin where the known history does if it was firing then", () => {
    expect(toFiringSpans(ok, [happen("10:30", "recovered")], known)).toEqual([
      { fromMs: at("10:00"), toMs: at("10:30") },
    ]);
    const firing = { phase: "firing" as const, phaseSince: "2026-11-20T09:00:00.000Z" };
    expect(toFiringSpans(firing, [happen("10:30", "reminder")], known)).toEqual([
      { fromMs: at("10:00"), toMs: at("12:00") },
    ]);
    expect(toFiringSpans(ok, [happen("10:30", "tested")], known)).toEqual([]);
  });
});

describe("the address of alerts", () => {
  it("keeps the tab and the open alert, and nothing else", () => {
    const alert = "alt_0199f3b0c1d27a4e8f60112233445566";
    expect(parseAlertsSearch({ tab: "alerts", alert, range: "7d" })).toEqual({
      tab: "alerts",
      alert,
    });
    expect(parseAlertsSearch({ tab: "alerts", alert: "other" })).toEqual({ tab: "alerts" });
    expect(parseAlertsSearch({ tab: "usage", alert })).toEqual({});
  });
});
