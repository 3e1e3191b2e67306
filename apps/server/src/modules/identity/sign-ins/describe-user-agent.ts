/** What a browser says of itself, for its person: nothing depends on it. */
export type DescribedBrowser = { browser: string | null; system: string | null };

/** In this order: most browsers also name those that they are like. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:Edg|EdgA|EdgiOS)\//, "Edge"],
  [/\b(?:OPR|OPT|OPX|Opera)\//, "Opera"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, "Chrome"],
  [/\bVersion\/[\d.]+ .*\bSafari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b|\biPod\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMacintosh\b|\bMac OS X\b/, "macOS"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

/** More than any browser sends. */
const LENGTH_MAX = 1_000;

/**
 * Reads browser and system from a `User-Agent`. Only these two words are kept: versions and models would tell a person nothing and
 * others too much.
 *
 * @returns Null for what is not known.
 */
export function describeUserAgent(userAgent: string): DescribedBrowser {
  const text = userAgent.slice(0, LENGTH_MAX);
  const find = (names: typeof BROWSERS) => names.find(([sign]) => sign.test(text))?.[1] ?? null;
  return { browser: find(BROWSERS), system: find(SYSTEMS) };
}
