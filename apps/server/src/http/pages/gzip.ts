import type { IncomingMessage } from "node:http";
import { gzipSync } from "node:zlib";

/** Smaller bodies fit into one packet anyway. */
const GZIP_FROM_BYTES = 1_000;
/** Pages that change leave old versions behind. */
const KEPT_MAX = 500;
const TEXT = /^(?:text\/|application\/(?:json|xml|manifest\+json)|image\/svg)/;

/** What a pure function gave, by the tag of what was compressed: each text is compressed once. */
const kept = new Map<string, Buffer>();

export type SentBytes = { bytes: Buffer; headers: Readonly<Record<string, string>> };

function takesGzip(req: IncomingMessage): boolean {
  const offers = String(req.headers["accept-encoding"] ?? "")
    .toLowerCase()
    .split(",");
  return offers.some((offer) => {
    const [name, ...weights] = offer.split(";").map((part) => part.trim());
    return name === "gzip" && !weights.some((weight) => /^q=0(?:\.0*)?$/.test(weight));
  });
}

/**
 * Chooses how bytes that are sent again and again go out: compressed for those who take it, when that is worth it. Only for what
 * holds no secret of the person who asks.
 *
 * @param body.etag - Of the bytes as they are. What is compressed carries it as a weak one, which 304 compares alike.
 */
export function chooseEncoding(
  req: IncomingMessage,
  body: { bytes: Buffer; etag: string; type: string },
): SentBytes {
  const { bytes, etag, type } = body;
  if (bytes.length < GZIP_FROM_BYTES || !TEXT.test(type)) {
    return { bytes, headers: { etag } };
  }
  const vary = "accept-encoding";
  if (!takesGzip(req)) {
    return { bytes, headers: { etag, vary } };
  }
  const compressed = kept.get(etag) ?? gzipSync(bytes);
  kept.delete(etag);
  kept.set(etag, compressed);
  const [oldest] = kept.size > KEPT_MAX ? kept.keys() : [];
  if (oldest !== undefined) {
    kept.delete(oldest);
  }
  return {
    bytes: compressed,
    headers: { etag: `W/${etag}`, vary, "content-encoding": "gzip" },
  };
}
