import type { RecordedCall } from "@turnpike/contract/calls";

/** The columns of a call that both of its stores have. Whole numbers of 64 bits come as their drivers give them. */
export type CallColumns<Whole> = {
  request_id: string;
  key_id: RecordedCall["keyId"];
  environment: RecordedCall["environment"];
  meter_id: string;
  method: string;
  route: string;
  status: number;
  outcome: string;
  latency_ms: number | null;
  bytes_in: Whole | null;
  bytes_out: Whole | null;
  model: string;
  /** Null, like the other tokens, for a call without any. */
  input_tokens: Whole | null;
  cache_read_tokens: Whole | null;
  cache_write_tokens: Whole | null;
  output_tokens: Whole | null;
};

function toNumber(value: bigint | string | null): number | null {
  return value === null ? null : Number(value);
}

/** The time at which its outcome was known, and its billable units, have columns of other names in each store. */
export function toRecordedCall(
  row: CallColumns<bigint | string>,
  { at, units }: { at: Date; units: bigint | string },
): RecordedCall {
  return {
    requestId: row.request_id,
    at: at.toISOString(),
    keyId: row.key_id,
    environment: row.environment,
    method: row.method,
    route: row.route,
    status: row.status,
    outcome: row.outcome,
    latencyMs: row.latency_ms,
    bytesIn: toNumber(row.bytes_in),
    bytesOut: toNumber(row.bytes_out),
    meterId: row.meter_id,
    units: Number(units),
    model: row.model,
    tokens:
      row.input_tokens === null
        ? null
        : {
            input: Number(row.input_tokens),
            cacheRead: Number(row.cache_read_tokens),
            cacheWrite: Number(row.cache_write_tokens),
            output: Number(row.output_tokens),
          },
  };
}
