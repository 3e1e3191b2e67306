import { type CheckedPart, checkFigures } from "./check-figures.ts";
import type { KnownFigures } from "./known-figures.ts";

/** A sentence that does not end is cut at a space here. */
const SENTENCE_LENGTH_MAX = 1_000;
/** The numbers of a list end no sentence. */
const SENTENCE_END = /(?<!(?:^|\n)\s*\d{1,2})[.!?;]\s+|\n+/g;

export type FigureGate = {
  /** Takes a piece of a text. @returns What may be shown by now, sentence by sentence. */
  push(text: string): CheckedPart[];
  /** Ends the text. @returns Its rest. */
  end(): CheckedPart[];
};

/** Where the last whole sentence ends; 0 for none. */
function findCut(text: string): number {
  let cut = 0;
  for (const match of text.matchAll(SENTENCE_END)) {
    cut = match.index + match[0].length;
  }
  if (cut === 0 && text.length > SENTENCE_LENGTH_MAX) {
    return text.lastIndexOf(" ") + 1 || text.length;
  }
  return cut;
}

/** Lets a streamed text through sentence by sentence, without the figures that no result has. */
export function createFigureGate(known: KnownFigures): FigureGate {
  let waiting = "";
  const check = (text: string) =>
    text
      .split(/(?<=\n)/)
      .filter((line) => line !== "")
      .flatMap((line) => checkFigures(line, known));
  return {
    push(text) {
      waiting += text;
      const cut = findCut(waiting);
      const whole = waiting.slice(0, cut);
      waiting = waiting.slice(cut);
      return check(whole);
    },
    end() {
      const rest = waiting;
      waiting = "";
      return check(rest);
    },
  };
}
