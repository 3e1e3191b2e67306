import { hash } from "node:crypto";
import type { Measurement } from "@turnpike/domain/events/measure-event";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";

/** An event that may be recorded, with what meters make of it. */
export type EventRow = {
  /** {@link hashEvent}. */
  hash: string;
  tenantId: TenantId;
  /** The tenant's key that sent it, and the first of its line; undefined for the operator's programs. */
  key: { keyId: KeyId; originKeyId: KeyId } | undefined;
  source: string;
  id: string;
  type: string;
  occurredAtMs: number;
  /** JSON; null without data. */
  data: string | null;
  /** The billing period of the moment in which it is recorded, epoch milliseconds, `[start, end)`. */
  periodStartMs: number;
  periodEndMs: number;
  measurements: readonly Measurement[];
};

/**
 * Names an event over all tenants: source and id are unique within one. The first 128 bits of SHA-256, as hex digits: for two
 * events to have one name by accident, 2^64 of them would be needed, and nobody finds one on purpose for somebody else's.
 */
export function hashEvent(tenantId: TenantId, source: string, id: string): string {
  // No part holds a NUL, so no two triples read alike.
  return hash("sha256", `${tenantId}\0${source}\0${id}`, "hex").slice(0, 32);
}
