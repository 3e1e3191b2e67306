import { findPictureType, findSvgFault } from "@turnpike/domain/files/picture-type";
import sharp from "sharp";
import type { DrawLogoTask, DrawnLogo, LogoFit, LogoPicture } from "./logo-pictures.ts";

/** A photo of a telephone has half as many. What has more says so in its header, before anything of it is decoded. */
const PIXELS_MAX = 25_000_000;
/** The longest side of what an SVG is drawn as, in pixels, before it is made smaller. */
const SVG_SIDE = 512;
/** Of an SVG whose length is a pixel each: what its own units are measured in. */
const SVG_DENSITY = 72;
/** Limits of the library: dots for an inch. */
const DENSITY = { min: 1, max: 100_000 };

const READ = { failOn: "error", limitInputPixels: PIXELS_MAX, pages: 1, autoOrient: true } as const;
const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 };

// Of the formats that the library knows, only these are ever read, also when a file says it is another.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: [
    "VipsForeignLoadPngBuffer",
    "VipsForeignLoadJpegBuffer",
    "VipsForeignLoadWebpBuffer",
    "VipsForeignLoadNsgifBuffer",
    "VipsForeignLoadHeifBuffer",
    "VipsForeignLoadSvgBuffer",
  ],
});
sharp.cache(false);
sharp.concurrency(1);

/** Draws an SVG at a size that makes good small pictures, however small or huge its own units are. */
async function densityOf(bytes: Uint8Array): Promise<number> {
  const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
  const density = (SVG_DENSITY * SVG_SIDE) / Math.max(width, height, 1);
  return Math.min(Math.max(density, DENSITY.min), DENSITY.max);
}

async function draw(
  bytes: Uint8Array,
  { fit, density }: { fit: LogoFit; density: number | undefined },
): Promise<Record<LogoPicture, Uint8Array>> {
  // Decoded once: the small pictures are made of the largest, as pixels, which no format can disguise.
  const { data, info } = await sharp(bytes, {
    ...READ,
    ...(density === undefined ? {} : { density }),
  })
    .toColourspace("srgb")
    .ensureAlpha()
    .resize(256, 256, { fit, background: CLEAR })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const square = () => sharp(data, { raw: { width, height, channels } });
  const webp = (side: number) =>
    square().resize(side, side).webp({ quality: 90, alphaQuality: 100 }).toBuffer();
  return {
    "64.webp": await webp(64),
    "128.webp": await webp(128),
    "256.webp": await webp(256),
    "256.png": await square().png({ compressionLevel: 9 }).toBuffer(),
  };
}

/**
 * Draws a logo anew: of what was sent nothing but its pixels is left, so that no metadata, program or second file in it reaches
 * anyone. Of a picture that moves, the first frame.
 */
export async function drawLogo({ bytes, fit }: DrawLogoTask): Promise<DrawnLogo> {
  const type = findPictureType(bytes);
  if (type === undefined) {
    return { ok: false, reason: "The file is no PNG, JPEG, WebP, GIF, AVIF or SVG picture." };
  }
  const fault = type === "svg" ? findSvgFault(bytes) : undefined;
  if (fault !== undefined) {
    return { ok: false, reason: fault };
  }
  try {
    const density = type === "svg" ? await densityOf(bytes) : undefined;
    return { ok: true, pictures: await draw(bytes, { fit, density }) };
  } catch (error) {
    const isTooLarge = error instanceof Error && error.message.includes("pixel limit");
    return {
      ok: false,
      reason: isTooLarge
        ? "The picture has more than 25 million pixels: make it smaller first."
        : "The picture is damaged: nothing can be drawn of it.",
    };
  }
}
