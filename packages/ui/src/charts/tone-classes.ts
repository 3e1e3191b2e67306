import type { SeriesTone } from "./chart-types.ts";

/** Whole class names, as the style sheet's compiler needs to read them. */
type ToneClasses = { fill: string; stroke: string; swatch: string };

/** The classes that give a series its colour: bars are filled and edged, lines stroked, legends show a swatch. */
export const TONE_CLASSES: Readonly<Record<SeriesTone, ToneClasses>> = {
  accent: {
    fill: "fill-accent",
    stroke: "stroke-chart-accent",
    swatch: "border-chart-accent bg-accent",
  },
  info: {
    fill: "fill-chart-info",
    stroke: "stroke-chart-info",
    swatch: "border-chart-info bg-chart-info",
  },
  teal: {
    fill: "fill-chart-teal",
    stroke: "stroke-chart-teal",
    swatch: "border-chart-teal bg-chart-teal",
  },
  violet: {
    fill: "fill-chart-violet",
    stroke: "stroke-chart-violet",
    swatch: "border-chart-violet bg-chart-violet",
  },
  ok: { fill: "fill-chart-ok", stroke: "stroke-chart-ok", swatch: "border-chart-ok bg-chart-ok" },
  warning: {
    fill: "fill-chart-warning",
    stroke: "stroke-chart-warning",
    swatch: "border-chart-warning bg-chart-warning",
  },
  danger: {
    fill: "fill-chart-danger",
    stroke: "stroke-chart-danger",
    swatch: "border-chart-danger bg-chart-danger",
  },
  neutral: {
    fill: "fill-chart-neutral",
    stroke: "stroke-chart-neutral",
    swatch: "border-chart-neutral bg-chart-neutral",
  },
};
