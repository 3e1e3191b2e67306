import type { BenchResult } from "./rig/bench.ts";
import {
  createQuotaCustomer,
  QUOTA_CALLS,
  settleLedger,
  toVerifyRequest,
} from "./rig/customers.ts";
import type { LoadGenerator } from "./rig/load.ts";
import type { Product } from "./rig/product.ts";

const KEYS = 10;
const CONNECTIONS = 64;
/** Calls beyond the quota: as many again, so that its end is passed at full speed. */
const CALLS = 2 * QUOTA_CALLS;
const SECONDS_MAX = 60;

/**
 * Runs into a hard quota at full speed on all connections.
 *
 * @throws when more or fewer calls were let through than the quota allows, or when the ledger says otherwise.
 */
export async function measureOvershoot(input: {
  load: LoadGenerator;
  product: Product;
  serviceKey: string;
}): Promise<Pick<BenchResult, "figures" | "remarks">> {
  const { load, product, serviceKey } = input;
  const customers = await createQuotaCustomer(product, { serviceKey, keys: KEYS });
  const result = await load.run({
    port: product.port,
    requests: customers.keys.map(({ key }) => toVerifyRequest(serviceKey, key)),
    connections: CONNECTIONS,
    seconds: SECONDS_MAX,
    callsMax: CALLS,
    ratePerSecond: null,
    acceptedStart: '{"valid":true',
  });
  const committed = await settleLedger({ product, customers, expected: result.accepted });
  if (result.accepted !== QUOTA_CALLS || committed !== QUOTA_CALLS) {
    throw new Error(
      `Of a quota of ${String(QUOTA_CALLS)} calls ${String(result.accepted)} were let through, and ${String(committed)} are in the ledger; the first refusal: ${result.firstRefusal ?? "none"}`,
    );
  }
  return {
    figures: {
      quotaCalls: QUOTA_CALLS,
      quotaCallsAccepted: result.accepted,
      quotaCallsRefused: result.answers - result.accepted,
      overshootCalls: result.accepted - QUOTA_CALLS,
    },
    remarks: [
      `Overshoot: ${String(result.accepted - QUOTA_CALLS)}. Of a hard quota of ${String(QUOTA_CALLS)} calls, hit at full speed by ${String(CONNECTIONS)} connections, ${String(result.accepted)} were let through, ${String(result.answers - result.accepted)} refused, and ${String(committed)} are in the ledger.`,
    ],
  };
}
