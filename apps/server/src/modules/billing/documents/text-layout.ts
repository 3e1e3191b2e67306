import type { Fonts, Run } from "./fonts.ts";
import type { Pdf } from "./pdfkit-types.ts";

/** A line of text as it is drawn. */
export type TextLine = { runs: Run[]; width: number };

type Look = { size: number; isBold: boolean };

/** Words, spaces between them, and signs of scripts that break anywhere. */
const TOKENS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|\s+|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/** Breaks texts of several fonts into lines, which pdfkit does for one font alone. */
export class TextLayout {
  readonly #pdf: Pdf;
  readonly #fonts: Fonts;

  constructor(pdf: Pdf, fonts: Fonts) {
    this.#pdf = pdf;
    this.#fonts = fonts;
  }

  #measure(text: string, { size, isBold }: Look): TextLine {
    const runs = this.#fonts.toRuns(text, isBold);
    const width = runs.reduce(
      (sum, run) => sum + this.#pdf.font(run.font).fontSize(size).widthOfString(run.text),
      0,
    );
    return { runs, width };
  }

  /** Cuts a word that is wider than the line. */
  *#listPieces(text: string, width: number, look: Look): Generator<string> {
    for (const [token] of text.matchAll(TOKENS)) {
      if (this.#measure(token, look).width <= width) {
        yield token;
        continue;
      }
      yield* token;
    }
  }

  /** At least one line, which may be empty. */
  breakLines(text: string, { width, ...look }: Look & { width: number }): TextLine[] {
    const lines: TextLine[] = [];
    let line = "";
    const end = () => {
      lines.push(this.#measure(line.trimEnd(), look));
      line = "";
    };
    for (const piece of this.#listPieces(text, width, look)) {
      if (line !== "" && this.#measure(`${line}${piece}`.trimEnd(), look).width > width) {
        end();
      }
      line = line === "" ? piece.trimStart() : `${line}${piece}`;
    }
    end();
    return lines;
  }
}
