import { ID_PREFIXES } from "@turnpike/domain/ids/ids";

/**
 * The text that sorts before every id of a request that began in this millisecond or later, and after those that began before:
 * ids begin with the time.
 *
 * @param atMs - Epoch milliseconds, 0 or more.
 */
export function toRequestIdBound(atMs: number): string {
  return `${ID_PREFIXES.request}_${Math.max(0, Math.trunc(atMs)).toString(16).padStart(12, "0")}`;
}

/** When the request with this id began, epoch milliseconds. */
export function toRequestTimeMs(requestId: string): number {
  const digitsAt = ID_PREFIXES.request.length + 1;
  return Number.parseInt(requestId.slice(digitsAt, digitsAt + 12), 16);
}
