import { beforeAll, expect, it, vi } from "vitest";
import { messages } from "../locales/de.po";

beforeAll(() => {
  vi.resetModules();
  globalThis.turnpikeLanguage = { language: "de", messages };
  return () => {
    globalThis.turnpikeLanguage = undefined;
    // Other files are tested in English.
    vi.resetModules();
  };
});

it("says short sentences of the server in German where no person wrote them, and names as they are", async () => {
  const words = await import("#platform/server-words/server-words.ts");
  await words.loadServerWords();
  expect(words.ownInLanguage("Scale is active.")).toBe("Scale ist aktiv.");
  expect(words.inLanguage("Scale is active.")).toBe("Scale is active.");
});

it("says the rule of an alert, and what is filled in for one, in German", async () => {
  const { loadServerWords } = await import("#platform/server-words/server-words.ts");
  await loadServerWords();
  const { toRuleText } = await import("./analytics/alerts/alert.view-model.ts");
  const { suggestName, toForText } = await import("./analytics/alerts/alert-draft.view-model.ts");
  const rule = (kind: "above" | "below") =>
    toRuleText(
      {
        query: { measure: "requests", filters: {} },
        windowMinutes: 5,
        condition: { kind, threshold: 100, clear: 100 },
      },
      [],
    );
  expect(rule("above")).toBe("Anfragen über 100 in 5 Minuten");
  expect(rule("below")).toBe("Anfragen unter 100 in 5 Minuten");
  expect(suggestName({ measure: "requests", kind: "above" })).toBe("Anfragen hoch");
  expect(toForText({ forEvaluations: 3, windowMinutes: 5 })).toBe("3 Minuten");
});

it("has a word of its own for the state of an invoice, roles, aggregations and the first meter", async () => {
  const { STATE_LABELS } = await import("./billings/invoice.view-model.ts");
  expect(STATE_LABELS.open).toBe("Offen");
  const { nameRoleByText } = await import("#platform/may-in-tenant.ts");
  expect(nameRoleByText("developer")).toBe("Entwickler");
  expect(nameRoleByText("On call")).toBe("On call");
  const { toAggregationText } = await import("./analytics/meters.view-model.ts");
  const meter = { meterId: "requests", name: "Requests", unit: "request" };
  expect(toAggregationText({ ...meter, aggregation: "sum" })).toBe("Summe");
  const { findMeterName, nameMeter } = await import("#platform/name-meter.ts");
  expect(nameMeter(meter)).toBe("Anfragen");
  expect(nameMeter({ ...meter, name: "Calls to search" })).toBe("Calls to search");
  expect(findMeterName([meter], "requests")).toBe("Anfragen");
  expect(findMeterName([meter], "gone")).toBeUndefined();
});
