import { readFileSync } from "node:fs";
import { findPictureType, findSvgFault } from "@turnpike/domain/files/picture-type";
import { LANGUAGES } from "@turnpike/domain/text/languages";
import { z } from "zod";
import { writeLike } from "./config-shape.ts";

export const BRAND_NAME_DEFAULT = "Turnpike";

/** Characters of the operator's mark: it is in every page, and a bigger one would hold up the first paint. */
const MARK_LENGTH_MAX = 32_768;
const MARK_BYTES_MAX = 24_000;
const MEDIA_TYPES = { svg: "image/svg+xml", png: "image/png", webp: "image/webp" } as const;

/** How customers know the product. */
export const brandSection = z
  .strictObject(
    {
      name: z
        .string()
        .min(1)
        .max(40)
        .default(BRAND_NAME_DEFAULT)
        .describe("What your customers know the product as; longer names do not fit the bar."),
      accent: z
        .string()
        .regex(/^#[0-9a-fA-F]{6}$/, "A colour such as #f5c400.")
        .default("#f5c400")
        .describe("Colour of what stands out, as #rrggbb."),
      language: z
        .enum(LANGUAGES)
        .default("en")
        .describe(
          "Language of mails to people who chose none, and of invoices of customers whose billing details name none.",
        ),
      mark: z
        .string()
        .max(MARK_LENGTH_MAX)
        .regex(
          /^(?:data:image\/(?:svg\+xml|png|webp);base64,[A-Za-z0-9+/]+={0,2}|(?!data:|https?:).{1,4096})$/,
          "The path of a picture, such as mark.svg, or data:image/svg+xml;base64,… (or png, webp), at most 32,768 characters.",
        )
        .optional()
        .describe(
          "The square picture beside the name, an SVG, PNG or WebP: path of a file of at most 24,000 bytes, relative to this file, or a data: address. Left out: a toll barrier.",
        ),
    },
    writeLike("brand: { name: Acme Maps }"),
  )
  .prefault({});

/** The path that a mark names; undefined where it is a picture already, or there is none. */
export function findMarkPath(mark: string | undefined): string | undefined {
  return mark?.startsWith("data:") === true ? undefined : mark;
}

function readMark(path: string): { address: string } | { fault: string } {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return { fault: `The file ${path} cannot be read.` };
  }
  if (bytes.length > MARK_BYTES_MAX) {
    return { fault: `The file ${path} has more than ${String(MARK_BYTES_MAX)} bytes.` };
  }
  const type = findPictureType(bytes);
  if (type !== "svg" && type !== "png" && type !== "webp") {
    return { fault: `The file ${path} is neither SVG nor PNG nor WebP.` };
  }
  const fault = type === "svg" ? findSvgFault(bytes) : undefined;
  return fault === undefined
    ? { address: `data:${MEDIA_TYPES[type]};base64,${bytes.toString("base64")}` }
    : { fault: `${path}: ${fault}` };
}

/** Says what is wrong with the file of a mark before anything starts; `undefined` when nothing is. */
export function checkMarkFile(path: string): string | undefined {
  const read = readMark(path);
  return "fault" in read ? read.fault : undefined;
}

/**
 * Reads a mark that is a file, once: pages and mails contain it.
 *
 * @returns A `data:` address.
 * @throws {Error} When it changed since it was checked, and cannot be used.
 */
export function toMarkAddress(path: string): string {
  const read = readMark(path);
  if ("fault" in read) {
    throw new Error(read.fault);
  }
  return read.address;
}
