/** WCAG 1.4.3 for text of normal size. */
const CONTRAST_MIN = 4.5;
/** Our own ink and paper first; pure black or white where a mid-scale colour needs the full contrast. */
const TEXT_COLORS = ["#1a1814", "#fdfcfa", "#000000", "#ffffff"] as const;

/** Relative luminance of WCAG 2, from 0 to 1. @param color - `#rrggbb`. */
function toLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of WCAG 2, from 1 to 21. Both colours as `#rrggbb`. */
export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [toLuminance(one), toLuminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/**
 * Chooses the colour of text on the operator's accent: at least 4.5 to 1 on every colour there is, which no rule by lightness
 * alone holds.
 */
export function findTextColor(accent: string): string {
  return TEXT_COLORS.find((color) => contrastOf(color, accent) >= CONTRAST_MIN) ?? "#000000";
}

/** The operator's accent as a rule for pages. @param accent - `#rrggbb`. */
export function toBrandStyle(accent: string): string {
  return `:root { --brand-accent: ${accent}; --brand-on-accent: ${findTextColor(accent)}; }`;
}
