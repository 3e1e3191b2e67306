import { pollUntil } from "@turnpike/testkit/poll-until";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drawLogo } from "./draw-logo.ts";
import { createLogoDrawer } from "./logo-drawer.ts";
import {
  endlessDrawing,
  type LogoCase,
  makeHonestFiles,
  makeHostileFiles,
  openWatchedSite,
  PAYLOAD,
} from "./logo-files.fixture.ts";
import { LOGO_PICTURES } from "./logo-pictures.ts";

let site: Awaited<ReturnType<typeof openWatchedSite>>;
beforeAll(async () => {
  site = await openWatchedSite();
});
afterAll(() => site.close());

/** The names of the chunks of a WebP or a PNG: what is not pixels would be in one of its own. */
function listChunks(picture: Buffer): string[] {
  const isWebp = picture.subarray(0, 4).toString("latin1") === "RIFF";
  const chunks: string[] = [];
  for (let at = isWebp ? 12 : 8; at + 8 <= picture.length; ) {
    const length = isWebp ? picture.readUInt32LE(at + 4) : picture.readUInt32BE(at);
    chunks.push(
      picture.subarray(isWebp ? at : at + 4, isWebp ? at + 4 : at + 8).toString("latin1"),
    );
    at += isWebp ? 8 + length + (length % 2) : 12 + length;
  }
  return chunks;
}

const PIXELS = new Set(["VP8 ", "VP8L", "VP8X", "ALPH", "IHDR", "IDAT", "IEND", "pHYs"]);

/** @returns What is wrong with the answer to a file; undefined when nothing is. */
async function findFault({ bytes, isDrawn }: LogoCase): Promise<string | undefined> {
  const drawn = await drawLogo({ bytes, fit: "contain" });
  if (!drawn.ok) {
    return isDrawn ? `refused: ${drawn.reason}` : undefined;
  }
  if (!isDrawn) {
    return "drawn";
  }
  for (const name of LOGO_PICTURES) {
    const picture = Buffer.from(drawn.pictures[name]);
    const foreign = listChunks(picture).filter((chunk) => !PIXELS.has(chunk));
    if (foreign.length > 0 || picture.includes(PAYLOAD) || picture.includes("script")) {
      return `${name} holds more than pixels: ${foreign.join()}`;
    }
    const { width, height, format } = await sharp(picture).metadata();
    if (`${String(width)}.${format}` !== name || width !== height) {
      return `${name} is a ${format} of ${String(width)} x ${String(height)}`;
    }
  }
  return undefined;
}

async function listFaults(cases: readonly LogoCase[]): Promise<string[]> {
  const faults: string[] = [];
  for (const one of cases) {
    const fault = await findFault(one);
    if (fault !== undefined) {
      faults.push(`${one.name}: ${fault}`);
    }
  }
  return faults;
}

describe("drawLogo", () => {
  it("draws nothing but pixels of 40 files that were made to do harm, and asks no address for them", async () => {
    const cases = await makeHostileFiles(site.url);
    expect(cases.length).toBeGreaterThanOrEqual(40);
    expect(await listFaults(cases)).toEqual([]);
    expect(site.hits()).toBe(0);
  });

  it("draws the pictures that people have", async () => {
    expect(await listFaults(await makeHonestFiles())).toEqual([]);
  });

  it("keeps the whole picture with clear room around it, or a square out of its middle", async () => {
    const wide = await sharp({
      create: { width: 400, height: 100, channels: 3, background: "#ff0000" },
    })
      .png()
      .toBuffer();
    const cornerOf = async (fit: "contain" | "cover") => {
      const drawn = await drawLogo({ bytes: wide, fit });
      const picture = drawn.ok ? drawn.pictures["64.webp"] : new Uint8Array();
      const [, , , alpha] = await sharp(picture).ensureAlpha().raw().toBuffer();
      return alpha;
    };
    expect(await cornerOf("contain")).toBe(0);
    expect(await cornerOf("cover")).toBe(255);
  });

  it("turns a photo the way the camera was held", async () => {
    const photo = await sharp({
      create: { width: 40, height: 20, channels: 3, background: "#ff0000" },
    })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const drawn = await drawLogo({ bytes: photo, fit: "contain" });
    const picture = drawn.ok ? drawn.pictures["64.webp"] : new Uint8Array();
    const pixels = await sharp(picture).ensureAlpha().raw().toBuffer();
    const alphaAt = (x: number, y: number) => pixels[(y * 64 + x) * 4 + 3];
    // Upright now: room at its sides, none above it.
    expect([alphaAt(2, 32), alphaAt(32, 2)]).toEqual([0, 255]);
  });
});

describe("createLogoDrawer", () => {
  it("ends a drawing that takes too long, and draws the next one", async () => {
    const drawer = createLogoDrawer({ timeoutMs: 1_000 });
    const square = await sharp({ create: { width: 9, height: 9, channels: 3, background: "#fff" } })
      .png()
      .toBuffer();
    expect(await drawer.draw({ bytes: endlessDrawing(), fit: "contain" })).toEqual({
      ok: false,
      reason: "The picture takes too much work to draw.",
    });
    // A busy machine may need longer for the start of a process.
    await pollUntil("the next one is drawn", async () => {
      return (await drawer.draw({ bytes: square, fit: "contain" })).ok;
    });
  });
});
