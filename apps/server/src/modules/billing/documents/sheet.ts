import type { Fonts } from "./fonts.ts";
import type { Pdf } from "./pdfkit-types.ts";
import { TextLayout } from "./text-layout.ts";

/** A4 in points, and the edges of the text. */
export const PAGE = { width: 595.28, height: 841.89 };
export const LEFT = 56;
export const RIGHT = PAGE.width - 56;
export const WIDTH = RIGHT - LEFT;
const BOTTOM = PAGE.height - 84;

export const INK = "#1a1f27";
export const MUTED = "#5b6472";
const RULE = "#c9ced6";

/** Of Noto Sans, in parts of its size. Letters of another font stand on the same line. */
const ASCENT = 1.069;
const LINE_HEIGHT = 1.362;

export type TextOptions = {
  x?: number;
  width?: number;
  size?: number;
  isBold?: boolean;
  color?: string;
  align?: "left" | "right";
};

/** The pages of a document: keeps the place after the last text, and begins a page when there is no room for more. */
export class Sheet {
  readonly pdf: Pdf;
  y = LEFT;
  readonly #layout: TextLayout;
  readonly #onPage: (sheet: Sheet) => void;

  constructor(pdf: Pdf, fonts: Fonts, onPage: (sheet: Sheet) => void) {
    this.pdf = pdf;
    this.#layout = new TextLayout(pdf, fonts);
    this.#onPage = onPage;
  }

  /** Begins a page unless `height` points are left on this one. */
  need(height: number): void {
    if (this.y + height > BOTTOM) {
      this.pdf.addPage();
      this.y = LEFT;
      this.#onPage(this);
    }
  }

  #break(content: string, { width = WIDTH, size = 9, isBold = false }: TextOptions) {
    return this.#layout.breakLines(content, { width, size, isBold });
  }

  /** The height that a text would have. */
  measure(content: string, options: TextOptions = {}): number {
    return this.#break(content, options).length * (options.size ?? 9) * LINE_HEIGHT;
  }

  /** Writes at the present place, and stays there. @returns The height of the text. */
  text(content: string, options: TextOptions = {}): number {
    const { x = LEFT, width = WIDTH, size = 9, color = INK, align = "left" } = options;
    const lines = this.#break(content, options);
    for (const [index, line] of lines.entries()) {
      const baseline = this.y + size * (ASCENT + index * LINE_HEIGHT);
      let place = align === "left" ? x : x + width - line.width;
      for (const { font, text } of line.runs) {
        this.pdf.font(font).fontSize(size).fillColor(color);
        this.pdf.text(text, place, baseline, { lineBreak: false, baseline: "alphabetic" });
        place += this.pdf.widthOfString(text);
      }
    }
    return lines.length * size * LINE_HEIGHT;
  }

  rule(): void {
    this.pdf.moveTo(LEFT, this.y).lineTo(RIGHT, this.y).lineWidth(0.5).strokeColor(RULE).stroke();
  }
}
