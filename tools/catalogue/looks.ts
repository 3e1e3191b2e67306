import type { Page } from "playwright-core";

export type Look = {
  name: string;
  width: number;
  height: number;
  theme: "light" | "dark";
  /** The system's own few colours, as Windows has them for people who see little. */
  hasForcedColours?: boolean;
  /** Of the person who looks; left out for English. */
  language?: "de";
};

/** Those of one width follow each other. At 200 % zoom a window has half its pixels, in both directions. */
const LOOKS: readonly Look[] = [
  { name: "desk", width: 1440, height: 900, theme: "light" },
  { name: "desk-dark", width: 1440, height: 900, theme: "dark" },
  { name: "forced-colours", width: 1440, height: 900, theme: "dark", hasForcedColours: true },
  { name: "phone", width: 360, height: 740, theme: "light" },
  { name: "phone-dark", width: 360, height: 740, theme: "dark" },
  { name: "zoom-200", width: 720, height: 450, theme: "light" },
  // Its words are longer, so what is too narrow for words shows here first.
  { name: "phone-german", width: 360, height: 740, theme: "light", language: "de" },
];

/** What the other states add is looked at where it has most and least room, once in each theme. */
const LOOKS_OF_OTHER_STATES = ["desk", "phone-dark"];

/** The looks in which a state is shown: all of them for a screen with its data. */
export function looksOf(state: string): readonly Look[] {
  return state === "ready"
    ? LOOKS
    : LOOKS.filter(({ name }) => LOOKS_OF_OTHER_STATES.includes(name));
}

/**
 * Shows the page in a look, without motion: what moves has neither its place nor its contrast. Another language is that of the next
 * page that is opened.
 */
export async function applyLook(page: Page, look: Look): Promise<void> {
  await page.emulateMedia({
    colorScheme: look.theme,
    forcedColors: look.hasForcedColours === true ? "active" : "none",
    reducedMotion: "reduce",
  });
  await page.setExtraHTTPHeaders(
    look.language === undefined ? {} : { "accept-language": look.language },
  );
  await page.setViewportSize({ width: look.width, height: look.height });
}
