import { type Figure, toFigure } from "./figure.ts";
import type { KnownFigures } from "./known-figures.ts";
import { isNumberWord, readSpelled, SPELLED_FREELY_MAX } from "./spelled-number.ts";

/** A piece of a checked text; a figure that no result has is only named as withheld. */
export type CheckedPart = { text: string } | { isWithheld: true };

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
/** What may stand around a word without being part of it. */
const EDGES = /^([^\p{L}\p{N}/{_%-]*[-–−+~≈]?)(.*?)([^\p{L}\p{N}/}_%]*)$/su;
/** A number with what is written directly behind it, such as `1,234`, `12.5%`, `€3.20`, `1.2k`. */
const NUMBER =
  /^(?:[A-Z]{3}|\p{Sc})?((?:\d{1,3}(?:[,’'\u00a0\u202f]\d{3})+|\d+)(?:[.,]\d+)?)([%\p{L}]*)$/u;
/** A word behind a number, and by which powers of ten the known figure may be larger. */
const SHIFTS: Readonly<Record<string, readonly number[]>> = {
  "%": [0, 2],
  percent: [0, 2],
  k: [-3],
  thousand: [-3],
  m: [-6],
  million: [-6],
  bn: [-9],
  billion: [-9],
  s: [0, -3],
  second: [0, -3],
  seconds: [0, -3],
  kb: [0, -3],
  mb: [0, -6],
  gb: [0, -9],
  tb: [0, -12],
};
const DAYS_OF: Readonly<Record<string, number>> = {
  day: 1,
  days: 1,
  week: 7,
  weeks: 7,
  hours: 1 / 24,
};
/** Written directly behind a number without changing it. */
const PLAIN_UNITS = new Set(["", "ms", "x", "st", "nd", "rd", "th"]);
const YEAR = /^(19|20)\d{2}$/;
const ORDINAL_MAX = 9;

type Word = { text: string; core: string; start: number; end: number };

/** Every reading of the separators: a comma groups digits in English, and is the point elsewhere. */
function readDigits(text: string): Figure[] {
  const bare = text.replace(/[’'\u00a0\u202f]/g, "");
  const readings = [bare.replaceAll(",", "")];
  if (/^\d+,\d+$/.test(bare) || /^\d{1,3}(\.\d{3})+,\d+$/.test(bare)) {
    readings.push(bare.replaceAll(".", "").replace(",", "."));
  }
  return readings.map(toFigure);
}

function toWords(text: string): Word[] {
  return [...text.matchAll(/[^\s—]+/gu)].map((match) => {
    const [, before = "", core = ""] = EDGES.exec(match[0]) ?? [];
    const start = match.index + before.length;
    return { text: match[0], core, start, end: start + core.length };
  });
}

function monthOf(word: Word | undefined): number | undefined {
  const name = word?.core.toLowerCase() ?? "";
  const month = MONTHS.findIndex((start) => name.startsWith(start)) + 1;
  return month > 0 && /^[a-z]{3,9}$/.test(name) ? month : undefined;
}

/** True for a date, a year or a time of a result; undefined for what is neither. */
function judgeTime(
  words: readonly Word[],
  index: number,
  known: KnownFigures,
): boolean | undefined {
  const core = words[index]?.core ?? "";
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})(?:T[\d:.]+Z?)?$/.exec(core) ?? [];
  if (year !== undefined) {
    return known.hasDay({ year: Number(year), month: Number(month), day: Number(day) });
  }
  if (/^\d{1,2}:\d{2}$/.test(core)) {
    return known.hasTime(core.padStart(5, "0"));
  }
  const before = monthOf(words[index - 1]);
  const behind = monthOf(words[index + 1]);
  const namedMonth = before ?? behind;
  if (YEAR.test(core)) {
    return known.hasYear(Number(core)) || undefined;
  }
  const [, dayText] = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(core) ?? [];
  if (namedMonth === undefined || dayText === undefined) {
    return;
  }
  const yearWord = words[index + (before === undefined ? 2 : 1)]?.core ?? "";
  const namedYear = YEAR.test(yearWord) ? Number(yearWord) : undefined;
  return known.hasDay({ year: namedYear, month: namedMonth, day: Number(dayText) });
}

function isKnownNumber(
  { digits, unit, next }: { digits: string; unit: string; next: string },
  known: KnownFigures,
): boolean {
  const readings = readDigits(digits);
  if (/^(st|nd|rd|th)$/.test(unit) && Number(digits) <= ORDINAL_MAX) {
    return true;
  }
  const span = DAYS_OF[next];
  if (span !== undefined && unit === "" && known.hasSpan(Number(digits) * span)) {
    return true;
  }
  const isBare = PLAIN_UNITS.has(unit);
  const shifts = SHIFTS[isBare ? next : unit] ?? (isBare ? [0] : undefined);
  return (shifts ?? []).some((shift) =>
    readings.some((written) => known.hasFigure(written, shift)),
  );
}

function isKnownWord(words: readonly Word[], index: number, known: KnownFigures): boolean {
  const { core = "", text = "" } = words[index] ?? {};
  // The numbers of a list.
  if (index === 0 && /^\d{1,2}[.)]$/.test(text) && words.length > 1) {
    return true;
  }
  const time = judgeTime(words, index, known);
  if (time !== undefined) {
    return time;
  }
  const number = NUMBER.exec(core);
  if (number === null) {
    return known.hasName(core);
  }
  const [, digits = "", unit = ""] = number;
  const next = words[index + 1]?.core.toLowerCase() ?? "";
  const after = next === "per" && words[index + 2]?.core === "cent" ? "percent" : next;
  return (
    isKnownNumber({ digits, unit: unit.toLowerCase(), next: after }, known) ||
    (/\p{L}/u.test(core) && known.hasName(core))
  );
}

/** How many words from `index` on spell a number that no result has. */
function countUnknownSpelled(words: readonly Word[], index: number, known: KnownFigures): number {
  const run: string[] = [];
  let count = 0;
  const previous = words[index - 1]?.core ?? "";
  for (const { core } of words.slice(index)) {
    const parts = core.toLowerCase().split("-");
    if (!parts.every((part) => isNumberWord(part) || (part === "and" && run.length > 0))) {
      break;
    }
    run.push(...parts.filter((part) => part !== "and"));
    count += 1;
  }
  // "1.2 million" was judged as a whole.
  if (run.length === 0 || /\d$/.test(previous)) {
    return 0;
  }
  const value = readSpelled(run);
  const isFree = value <= SPELLED_FREELY_MAX || known.hasFigure({ digits: value, decimals: 0 });
  return isFree ? 0 : count;
}

/**
 * Withholds every number of a sentence, in digits or in words, that no result has: what a language model makes up is not shown.
 *
 * @returns The sentence in pieces; without numbers it is one.
 */
export function checkFigures(sentence: string, known: KnownFigures): CheckedPart[] {
  const text = sentence.normalize("NFKC");
  const words = toWords(text);
  const parts: CheckedPart[] = [];
  let shown = 0;
  const withhold = (from: number, to: number) => {
    if (from > shown) {
      parts.push({ text: text.slice(shown, from) });
    }
    parts.push({ isWithheld: true });
    shown = to;
  };
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) {
      break;
    }
    if (/\p{N}/u.test(word.core)) {
      if (!isKnownWord(words, index, known)) {
        withhold(word.start, word.end);
      }
      continue;
    }
    const unknown = countUnknownSpelled(words, index, known);
    if (unknown > 0) {
      index += unknown - 1;
      withhold(word.start, words[index]?.end ?? word.end);
    }
  }
  if (shown < text.length) {
    parts.push({ text: text.slice(shown) });
  }
  return parts;
}
