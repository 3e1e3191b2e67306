import type { IncomingMessage } from "node:http";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { Clock } from "#platform/clock.ts";
import { findKey } from "../find-key.ts";
import type { OtherCells } from "./forward-to-cell.ts";
import { type ForwardingFacts, MARKER_HEADER_LOWER, readMarker } from "./forwarding-marker.ts";

/**
 * What another cell says of a call that it forwards; undefined for a call that comes from its client.
 *
 * @throws {AppError} `FORWARDED_CALL_REFUSED`.
 */
export function readForwarded(
  req: IncomingMessage,
  { cells, clock }: { cells: OtherCells | undefined; clock: Clock },
): ForwardingFacts | undefined {
  const marker = req.headers[MARKER_HEADER_LOWER];
  if (cells === undefined || marker === undefined) {
    return undefined;
  }
  const facts = readMarker(String(marker), {
    key: cells.markerKey,
    cell: cells.cell,
    nowSeconds: clock.now().getTime() / 1_000,
    call: {
      method: req.method ?? "GET",
      rawTarget: req.url ?? "/",
      keyText: findKey(req)?.text ?? "",
    },
  });
  if (facts === undefined) {
    throw new AppError({
      code: "FORWARDED_CALL_REFUSED",
      publicMessage: "This call says that another cell forwards it, and no cell has signed that.",
      headers: { connection: "close" },
    });
  }
  return facts;
}
