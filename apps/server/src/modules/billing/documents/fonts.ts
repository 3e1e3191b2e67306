import { fileURLToPath } from "node:url";
import type { Pdf } from "./pdfkit-types.ts";

export const REGULAR_FONT = fileURLToPath(
  import.meta.resolve("@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf"),
);
const BOLD_FONT = fileURLToPath(
  import.meta.resolve("@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf"),
);

/** A piece of text that one font has all letters of. */
export type Run = { font: string; text: string };

/** Replaces letters that no font has. */
const SUBSTITUTE = "?";

/** The fonts of a document: those that come with Turnpike, and the one that the operator adds. */
export class Fonts {
  /** True once a letter was replaced, so that the document says so. */
  hasSubstitute = false;
  readonly #pdf: Pdf;
  readonly #extra: string | null;
  readonly #known = new Map<string, boolean>();

  /** @param extra - Path of a font for letters that Noto Sans lacks, or null. */
  constructor(pdf: Pdf, extra: string | null) {
    this.#pdf = pdf;
    this.#extra = extra;
  }

  /** The font whose height lines have, also where others are in them. */
  base(isBold: boolean): string {
    return isBold ? BOLD_FONT : REGULAR_FONT;
  }

  #has(font: string, letter: string): boolean {
    const key = `${font} ${letter}`;
    let has = this.#known.get(key);
    if (has === undefined) {
      this.#pdf.font(font);
      has = this.#pdf._font.font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0);
      this.#known.set(key, has);
    }
    return has;
  }

  /** Cuts a text by the fonts that have its letters. No letter is left to be drawn as an empty box. */
  toRuns(text: string, isBold: boolean): Run[] {
    const base = this.base(isBold);
    const fonts = this.#extra === null ? [base] : [base, this.#extra];
    const runs: Run[] = [];
    // Letters with marks are one sign where there is one, which more fonts have.
    for (const letter of text.normalize("NFC").replaceAll(/[\p{Cc}\p{Cf}]/gu, "")) {
      const found = fonts.find((font) => this.#has(font, letter));
      this.hasSubstitute ||= found === undefined;
      const [font, shown] = found === undefined ? [base, SUBSTITUTE] : [found, letter];
      const last = runs.at(-1);
      if (last?.font === font) {
        last.text += shown;
      } else {
        runs.push({ font, text: shown });
      }
    }
    return runs;
  }
}
