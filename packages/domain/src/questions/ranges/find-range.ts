import { type Phrase, take } from "../phrase.ts";
import { CALENDAR_READERS } from "./calendar-rules.ts";
import { JOINS } from "./join-rules.ts";
import { type RangeRule, toPattern } from "./range-rule.ts";
import type { FoundRange, QuestionClock } from "./relative-range.ts";
import { SPANS } from "./span-rules.ts";

const compile = ({ pattern, read }: RangeRule) => ({ pattern: toPattern(pattern), read });
const SPAN_RULES = SPANS.map(compile);
const JOIN_RULES = JOINS.map(compile);
const ATOMS_MAX = 10;
const ATOM_MARK = /#a(\d)/g;

/** Marks every calendar range of a phrase; a mark's text comes back where no rule takes it. */
function markAtoms(text: string, clock: QuestionClock): { phrase: Phrase; texts: string[] } {
  const phrase: Phrase = { text };
  const texts: string[] = [];
  for (const { anywhere, read } of CALENDAR_READERS) {
    while (texts.length < ATOMS_MAX) {
      const match = anywhere.exec(phrase.text);
      if (match === null || read(clock, match.slice(1)) === undefined) {
        break;
      }
      const start = phrase.text.slice(0, match.index);
      const end = phrase.text.slice(match.index + match[0].length);
      phrase.text = `${start}#a${String(texts.length)}${end}`;
      texts.push(match[0]);
    }
  }
  return { phrase, texts };
}

/** Takes the first range out of a phrase. */
export function findRange(phrase: Phrase, clock: QuestionClock): FoundRange | undefined {
  for (const { pattern, read } of SPAN_RULES) {
    const match = pattern.exec(phrase.text);
    const range = match === null ? undefined : read(clock, match.slice(1));
    if (range !== undefined && range.fromMs < range.toMs) {
      take(phrase, pattern, "#r");
      return range;
    }
  }
  const { phrase: marked, texts } = markAtoms(phrase.text, clock);
  const restore = (text: string) =>
    text.replace(ATOM_MARK, (_, at: string) => texts[Number(at)] ?? "");
  for (const { pattern, read } of JOIN_RULES) {
    const match = pattern.exec(marked.text);
    const groups = match?.slice(1).map((group: string | undefined) => restore(group ?? ""));
    const range = groups === undefined ? undefined : read(clock, groups);
    if (range !== undefined && range.fromMs < range.toMs) {
      take(marked, pattern, "#r");
      phrase.text = restore(marked.text);
      return range;
    }
  }
  return;
}
