import { type Figure, isWrittenAs, toFigure } from "./figure.ts";

/** What only repeats what was asked: a number there comes from no ledger. */
const ECHOES = new Set(["question", "query", "usage", "choices", "cursor", "nextCursor"]);
const DECIMAL = /^-?\d{1,40}(\.\d{1,40})?$/;
const INSTANT = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}:\d{2})[\d:.]*(?:Z|[+-]\d{2}:\d{2}))?$/;
const IN_TEXT = /\d{1,40}(?:,\d{3})*(?:\.\d{1,40})?/g;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Results hold some thousand numbers. */
const FIGURES_MAX = 100_000;

export type KnownFigures = {
  /** Takes every number and date of a result, but for what only repeats the question. */
  addResult(result: unknown): void;
  /** Takes every number in a text that can be trusted. */
  addText(text: string): void;
  hasFigure(written: Figure, shift?: number): boolean;
  /** True for a day that is named, or one beside it: ends of ranges are exclusive, and days begin at different times. */
  hasDay(day: { year?: number | undefined; month: number; day: number }): boolean;
  hasYear(year: number): boolean;
  /** UTC, such as `14:30`. */
  hasTime(time: string): boolean;
  /** True for the length of a range that a result covers, in days. */
  hasSpan(days: number): boolean;
  /** True for a name with digits that a result contains exactly. */
  hasName(name: string): boolean;
};

/** Collects what may be said: the numbers, dates and names of results. */
export function createKnownFigures(): KnownFigures {
  const figures = new Map<string, Figure>();
  const days = new Set<number>();
  const years = new Set<number>();
  const times = new Set<string>();
  const spans = new Set<number>();
  const texts: string[] = [];

  function addFigure(text: string): void {
    const plain = text.replace(/^-/, "");
    if (figures.size < FIGURES_MAX) {
      figures.set(plain, toFigure(plain));
    }
  }

  function addNumber(value: number): void {
    if (Number.isFinite(value)) {
      const text = String(value);
      addFigure(text.includes("e") ? value.toFixed(20) : text);
    }
  }

  function addString(text: string): void {
    texts.push(text);
    const [, year, month, day, time] = INSTANT.exec(text) ?? [];
    if (year !== undefined) {
      days.add(Math.floor(Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY_MS));
      years.add(Number(year));
      if (time !== undefined) {
        times.add(time);
      }
    } else if (DECIMAL.test(text)) {
      addFigure(text);
    }
  }

  function addSpan({ from, to }: Readonly<Record<string, unknown>>): void {
    if (typeof from === "string" && typeof to === "string") {
      spans.add(Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS));
    }
  }

  function addResult(result: unknown): void {
    if (typeof result === "number") {
      addNumber(result);
    } else if (typeof result === "string") {
      addString(result);
    } else if (Array.isArray(result)) {
      result.forEach(addResult);
    } else if (typeof result === "object" && result !== null) {
      addSpan({ ...result });
      for (const [name, value] of Object.entries(result)) {
        texts.push(name);
        if (!ECHOES.has(name)) {
          addResult(value);
        }
      }
    }
  }

  return {
    addResult,
    addText(text) {
      for (const word of text.split(/\s+/)) {
        addString(word.replace(/^[("'`]+|[)"'`.,;:?!]+$/g, ""));
      }
      for (const [number] of text.matchAll(IN_TEXT)) {
        addFigure(number.replaceAll(",", ""));
      }
    },
    hasFigure: (written, shift) =>
      [...figures.values()].some((known) => isWrittenAs(written, known, shift)),
    hasDay({ year, month, day }) {
      return (year === undefined ? [...years] : [year]).some((each) => {
        const at = Math.floor(Date.UTC(each, month - 1, day) / DAY_MS);
        return days.has(at) || days.has(at - 1) || days.has(at + 1);
      });
    },
    hasYear: (year) => years.has(year),
    hasTime: (time) => times.has(time),
    hasSpan: (span) => spans.has(span),
    hasName: (name) => texts.some((text) => text.includes(name)),
  };
}
