import { createHmac, timingSafeEqual } from "node:crypto";
import type { HeaderPair } from "../proxy/forward-headers.ts";

/** The header of a call that a node forwards to another cell. */
export const MARKER_HEADER = "X-Turnpike-Forwarded";
export const MARKER_HEADER_LOWER = "x-turnpike-forwarded";

/** What a node tells the cell that it forwards a call to. */
export type ForwardingFacts = {
  /** Names of the cells. */
  from: string;
  to: string;
  requestId: string;
  /** When it was forwarded, Unix seconds. */
  sentAt: number;
  /** Canonical addresses, of the client and of the other end of the forwarding node's socket. */
  client: string;
  peer: string;
  /** True when that other end is a proxy that the forwarding node trusts. */
  isPeerTrusted: boolean;
  /** As the client sent it; empty when it named none. */
  host: string;
  /** `Via`, and the forwarding headers of a trusted proxy, as they arrived. */
  kept: readonly HeaderPair[];
};

/** What the marker is bound to beside the facts: it is of no use for another call. */
export type MarkedCall = { method: string; rawTarget: string; keyText: string };

/** Clocks of two cells may differ by as much. */
const SENT_WITHIN_SECONDS = 300;

function sign(key: Buffer, payload: string, { method, rawTarget, keyText }: MarkedCall): Buffer {
  return createHmac("sha256", key)
    .update([payload, method, rawTarget, keyText].join("\n"))
    .digest();
}

/** Writes the marker: the facts in base64url, a dot, and their HMAC-SHA256. */
export function writeMarker(key: Buffer, facts: ForwardingFacts, call: MarkedCall): string {
  const payload = Buffer.from(JSON.stringify(facts)).toString("base64url");
  return `${payload}.${sign(key, payload, call).toString("base64url")}`;
}

/**
 * Reads a marker.
 *
 * @param input.cell - This cell: a marker for another one is refused.
 * @returns Undefined when no node of a cell wrote it for this very call, or that was more than five minutes ago.
 */
export function readMarker(
  text: string,
  input: { key: Buffer; cell: string; nowSeconds: number; call: MarkedCall },
): ForwardingFacts | undefined {
  const [payload = "", mac = "", ...rest] = text.split(".");
  const expected = sign(input.key, payload, input.call);
  const given = Buffer.from(mac, "base64url");
  if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return undefined;
  }
  // Only a node that has the secret can have written it.
  const facts = JSON.parse(Buffer.from(payload, "base64url").toString()) as ForwardingFacts;
  const isFresh = Math.abs(input.nowSeconds - facts.sentAt) <= SENT_WITHIN_SECONDS;
  return facts.to === input.cell && isFresh ? facts : undefined;
}
