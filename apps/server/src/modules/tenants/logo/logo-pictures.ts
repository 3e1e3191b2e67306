/** The pictures that a logo is kept as. WebP is for browsers, PNG for what cannot read it. */
export const LOGO_PICTURES = ["64.webp", "128.webp", "256.webp", "256.png"] as const;
export type LogoPicture = (typeof LOGO_PICTURES)[number];

/** `contain`: the whole picture, with room around it; `cover`: a square out of its middle. */
export type LogoFit = "contain" | "cover";

export type DrawLogoTask = { bytes: Uint8Array; fit: LogoFit };

export type DrawnLogo =
  | { ok: true; pictures: Record<LogoPicture, Uint8Array> }
  /** One sentence for the person who sent it. */
  | { ok: false; reason: string };
