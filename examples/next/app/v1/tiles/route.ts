import { turnpikeNext } from "@turnpike/sdk/next";
import { turnpike } from "../../../lib/turnpike.ts";

/** How many tiles a call asks for: it costs as many units. */
function readCount(request: Request): number {
  const text = new URL(request.url).searchParams.get("count");
  return Math.min(100, Math.max(1, Math.trunc(Number(text)) || 1));
}

export const GET = turnpikeNext(
  turnpike,
  (request: Request) => Response.json({ tiles: readCount(request) }),
  { cost: readCount, scopes: "tiles:read", onUnavailable: "allow" },
);
