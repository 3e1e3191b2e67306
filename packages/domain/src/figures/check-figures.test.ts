import { describe, expect, it } from "vitest";
import { checkFigures } from "./check-figures.ts";
import { createFigureGate } from "./figure-gate.ts";
import { createKnownFigures } from "./known-figures.ts";

function knownOf(result: unknown, question = "") {
  const known = createKnownFigures();
  known.addResult(result);
  known.addText(question);
  return known;
}

/** The text as it is shown, with `▢` for what is withheld. */
function show(text: string, known = knownOf(RESULT)): string {
  return checkFigures(text, known)
    .map((part) => ("text" in part ? part.text : "▢"))
    .join("");
}

const RESULT = {
  question: "is it 98765?",
  from: "2026-06-01T00:00:00.000Z",
  to: "2026-06-08T00:00:00.000Z",
  totals: { requests: 1_234_567, error_rate: 0.123456, p95: 1234, spend: "49.90", refused: 0.4 },
  rows: [{ group: { route: "/v1/users/{id}", status_class: "5xx" }, values: { requests: 42 } }],
};

describe("figures of a text", () => {
  it("lets through what a result has, as people write it", () => {
    const said = [
      "There were 1,234,567 calls, about 1.23 million, and 12.3 % failed (12.35%).",
      "The slow ones took 1234 ms, that is 1.2 s or 1.23 seconds; it costs €49.90, EUR 49.9.",
      "Between 1 June and 7 June 2026, on 2026-06-01, within 7 days, in 1 week.",
      "Route /v1/users/{id} answered 5xx, and the p95 of 42 calls. The two routes.",
      "1. The first of 3rd place\n",
      "forty-two calls; 1’234’567 calls; 1234567 calls; -42.",
    ];
    expect(said.map((text) => show(text))).toEqual(said);
  });

  it("withholds what no result has, in digits and in words", () => {
    const cases: [string, string][] = [
      ["There were 1,234,568 calls.", "There were ▢ calls."],
      ["98765 calls", "▢ calls"],
      ["1.3 million calls", "▢ million calls"],
      ["It fell by 17%, to 12.4 %.", "It fell by ▢, to ▢ %."],
      ["0 errors", "▢ errors"],
      ["It runs out on 14 July 2026, or 2026-07-14.", "It runs out on ▢ July 2026, or ▢."],
      ["at 14:30", "at ▢"],
      ["within 30 days", "within ▢ days"],
      ["ninety-nine thousand calls", "▢ calls"],
      ["a million calls", "a ▢ calls"],
      ["５０００ calls, ٤٢٠ calls, ½", "▢ calls, ▢ calls, ▢"],
      ["$5,000.00 and 5k", "$▢ and ▢"],
      ["key_77 on /v2/other7", "▢ on ▢"],
    ];
    expect(cases.map(([text]) => show(text))).toEqual(cases.map(([, shown]) => shown));
  });

  it("knows the numbers of the question", () => {
    expect(show("You asked about 300 calls.", knownOf({}, "why 300 calls?"))).toContain("300");
  });

  it("is the same however a text is cut while it streams", () => {
    const text = "There were 1,234,567 calls. Or 98,765?\n1. Route /v1/users/{id}: 42; 43.";
    const show = (cut: number) => {
      const gate = createFigureGate(knownOf(RESULT));
      const pieces = text.match(new RegExp(`[^]{1,${String(cut)}}`, "g")) ?? [];
      return [...pieces.flatMap((piece) => gate.push(piece)), ...gate.end()]
        .map((part) => ("text" in part ? part.text : "▢"))
        .join("");
    };
    const whole = show(1_000);
    expect(whole).toBe("There were 1,234,567 calls. Or ▢?\n1. Route /v1/users/{id}: 42; ▢.");
    expect(Array.from({ length: 20 }, (_, index) => show(index + 1))).toEqual(
      Array.from({ length: 20 }, () => whole),
    );
  });
});
