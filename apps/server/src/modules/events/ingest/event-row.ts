import { hash } from "node:crypto";
import type { Measurement } from "@turnpike/domain/events/measure-event";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";

/** An event that may be recorded, with its measurements. */
export type EventRow = {
  /** {@link hashEvent}. */
  hash: string;
  tenantId: TenantId;
  /** The tenant's key that sent it, and the first key it was rolled from; undefined for the operator's programs. */
  key: { keyId: KeyId; originKeyId: KeyId } | undefined;
  source: string;
  id: string;
  type: string;
  occurredAtMs: number;
  /** JSON; null without data. */
  data: string | null;
  /** The billing period at the time of recording, epoch milliseconds, `[start, end)`. */
  periodStartMs: number;
  periodEndMs: number;
  measurements: readonly Measurement[];
};

/**
 * Hashes the identity of an event: source and id are unique within a tenant. The first 128 bits of SHA-256, as hex digits. An
 * accidental collision takes about 2^64 events, and a deliberate one is infeasible.
 */
export function hashEvent(tenantId: TenantId, source: string, id: string): string {
  // None of the three contains a NUL, so distinct triples give distinct texts.
  return hash("sha256", `${tenantId}\0${source}\0${id}`, "hex").slice(0, 32);
}
