/** A colour as the browser computed it, or `none`. */
type Colour = string;

export type Shape =
  | {
      kind: "box";
      x: number;
      y: number;
      width: number;
      height: number;
      radius: number;
      fill: Colour;
      stroke: Colour;
      strokeWidth: number;
      opacity: number;
    }
  | { kind: "line"; x: number; y: number; width: number; height: number; fill: Colour }
  | {
      kind: "text";
      /** Of the baseline's start. */
      x: number;
      y: number;
      width: number;
      text: string;
      sizePx: number;
      weight: string;
      isMono: boolean;
      fill: Colour;
      opacity: number;
    }
  | {
      kind: "drawing";
      x: number;
      y: number;
      width: number;
      height: number;
      viewBox: string;
      aspect: string;
      /** True for the mark of the brand, which operators replace. */
      isMark: boolean;
      opacity: number;
      parts: Part[];
    };

/** An element of a drawing: an icon's path, a chart's bar, a label. */
export type Part = {
  name: string;
  attributes: Record<string, string>;
  fill: Colour;
  stroke: Colour;
  text: string;
};
