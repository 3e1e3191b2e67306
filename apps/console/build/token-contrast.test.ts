import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const CSS = readFileSync(`${import.meta.dirname}/../../../packages/ui/src/tokens.css`, "utf8");

type Theme = "light" | "dark";
type Oklch = { l: number; c: number; h: number };

/** A background in the hue of another colour, with its own lightness. */
function readTint(value: string) {
  const [, of = "", l, chromaMax] =
    /^oklch\(from var\(--(.+?)\) ([\d.]+) min\(c, ([\d.]+)\) h\)$/.exec(value) ?? [];
  return l === undefined ? undefined : { of, l: Number(l), chromaMax: Number(chromaMax) };
}

/** The declared value of a token in a theme, with references resolved. */
function read(name: string, theme: Theme): Oklch {
  const value = new RegExp(`--${name}:\\s*([^;]+);`).exec(CSS)?.[1] ?? "";
  const pair = /^light-dark\(\s*(.+\)),\s+(.+\))\s*\)$/.exec(value);
  const chosen = (pair === null ? value : pair[theme === "light" ? 1 : 2]) ?? "";
  const reference = /^var\(--(.+)\)$/.exec(chosen)?.[1];
  if (reference !== undefined) {
    return read(reference, theme);
  }
  const relative = /^oklch\(from var\(--(.+?)\) clamp\(/.exec(chosen)?.[1];
  if (relative !== undefined) {
    return {
      l: Math.min(0.99, Math.max(0.18, (0.62 - read(relative, theme).l) * 1000)),
      c: 0.008,
      h: 75,
    };
  }
  const tint = readTint(chosen);
  if (tint !== undefined) {
    const { c, h } = read(tint.of, theme);
    return { l: tint.l, c: Math.min(c, tint.chromaMax), h };
  }
  const numbers = /^oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)$/.exec(chosen);
  if (numbers === null) {
    throw new Error(`--${name} is no colour this test can read: ${value}`);
  }
  return { l: Number(numbers[1]), c: Number(numbers[2]), h: Number(numbers[3]) };
}

/** Relative luminance of WCAG 2.2, 0 to 1. @see https://www.w3.org/TR/css-color-4/#color-conversion-code */
function toLuminance({ l, c, h }: Oklch): number {
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const red = 4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short;
  const green = -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short;
  const blue = -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short;
  const inGamut = (value: number) => Math.min(1, Math.max(0, value));
  return 0.2126 * inGamut(red) + 0.7152 * inGamut(green) + 0.0722 * inGamut(blue);
}

function contrast(front: string, ground: string | Oklch, theme: Theme): number {
  const [high = 0, low = 0] = [front, ground]
    .map((colour) => toLuminance(typeof colour === "string" ? read(colour, theme) : colour))
    .sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const GROUNDS = [
  "asphalt-paper",
  "asphalt-surface",
  "asphalt-sunken",
  "asphalt-hover",
  "state-selected",
];

const TEXT_PAIRS = [
  ...GROUNDS.flatMap((ground) => ["asphalt-ink", "asphalt-ink-muted"].map((ink) => [ink, ground])),
  ...GROUNDS.slice(0, 4).map((ground) => ["asphalt-ink-faint", ground]),
  ["on-action", "action"],
  ["brand-on-accent", "brand-accent"],
  ["state-on-danger-solid", "state-danger-solid"],
  ["state-on-danger-solid", "state-danger-solid-hover"],
  ...["ok", "warning", "danger", "info"].flatMap((state) => [
    [`state-${state}`, `state-${state}-soft`],
    [`state-${state}`, "asphalt-surface"],
    [`state-${state}`, "asphalt-paper"],
    ["asphalt-ink", `state-${state}-soft`],
    ["asphalt-ink-muted", `state-${state}-soft`],
  ]),
] as [string, string][];

describe.each(["light", "dark"] as const)("tokens, %s", (theme) => {
  it.each(TEXT_PAIRS)("%s is readable on %s: 4.5 to 1", (ink, ground) => {
    expect(contrast(ink, ground, theme)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(["asphalt-paper", "asphalt-surface"])(
    "control edges are visible on %s: 3 to 1",
    (ground) => {
      expect(contrast("asphalt-line-control", ground, theme)).toBeGreaterThanOrEqual(3);
    },
  );

  it.each(["asphalt-ink", "asphalt-ink-muted"])(
    "%s is readable on the selected state with every accent hue: 4.5 to 1",
    (ink) => {
      const { l, c } = read("state-selected", theme);
      expect(c).toBeGreaterThan(0);
      for (let h = 0; h < 360; h += 15) {
        expect(contrast(ink, { l, c, h }, theme)).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  it("shows a focus ring on every background: 3 to 1", () => {
    const ring = theme === "light" ? "asphalt-ink" : "brand-accent";
    for (const ground of GROUNDS) {
      expect(contrast(ring, ground, theme)).toBeGreaterThanOrEqual(3);
    }
  });
});
