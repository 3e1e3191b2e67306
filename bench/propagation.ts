import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { type CustomerKey, createCustomers, toVerifyRequest } from "./rig/customers.ts";
import { assertAllAccepted, type LoadGenerator, startLoadGenerator } from "./rig/load.ts";
import { pinningRemarks } from "./rig/pinned-process.ts";
import { callJson, makeProductHome, type Product, readText, startProduct } from "./rig/product.ts";
import { percentile, round } from "./rig/statistics.ts";

const TENANTS = 10;
const LOADED_KEYS = 100;
const REVOCATIONS_PER_SECOND = 5;
/** Enough to keep the server at work without drowning the probes. */
const LOAD_PER_SECOND = 5_000;
const CONNECTIONS = 16;
/** Programs that use the key while it is revoked. */
const PROBES = 2;
/** A key counts as refused everywhere after this many refusals in a row. */
const REFUSALS = 5;
const REFUSED_TIMEOUT_MS = 10_000;
const BAR_MS = 1_000;

type Probe = { product: Product; serviceKey: string; key: string };

/** Uses a key until it is refused for good. @returns When the last answer that let it through arrived, monotonic ms. */
async function useUntilRefused(probe: Probe): Promise<number> {
  let lastAcceptedMs = 0;
  let refusals = 0;
  const endsAtMs = performance.now() + REFUSED_TIMEOUT_MS;
  while (refusals < REFUSALS) {
    const answer = await callJson(probe.product.port, {
      method: "POST",
      path: "/v1/keys/verify",
      credential: probe.serviceKey,
      body: { key: probe.key },
    });
    if (readText(answer, "code") === "VALID") {
      refusals = 0;
      lastAcceptedMs = performance.now();
    } else {
      refusals += 1;
    }
    if (performance.now() > endsAtMs) {
      throw new Error("A revoked key was still accepted after ten seconds.");
    }
  }
  return lastAcceptedMs;
}

/**
 * Revokes a key in use.
 *
 * @returns Milliseconds from the moment the revocation was asked for, which is before it was committed, to the last answer
 *   that let the key through: never less than what is measured for.
 */
async function revokeInUse(
  product: Product,
  input: { serviceKey: string; victim: CustomerKey },
): Promise<number> {
  const { serviceKey, victim } = input;
  const probe: Probe = { product, serviceKey, key: victim.key };
  const probes = Array.from({ length: PROBES }, () => useUntilRefused(probe));
  // Anywhere in the change feed's cycle of polls.
  await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 100));
  const askedAtMs = performance.now();
  const revoked = callJson(product.port, {
    method: "POST",
    path: `/v1/tenants/${victim.tenantId}/keys/${victim.keyId}/revoke`,
    credential: serviceKey,
    body: {},
  });
  const [last] = await Promise.all([Promise.all(probes), revoked]);
  return Math.max(0, Math.max(...last) - askedAtMs);
}

async function measure(
  rig: { product: Product; load: LoadGenerator; serviceKey: string },
  input: { loaded: readonly CustomerKey[]; victims: readonly CustomerKey[]; seconds: number },
): Promise<{ delaysMs: number[]; callsPerSecond: number }> {
  const { product, serviceKey } = rig;
  const loading = rig.load.run({
    port: product.port,
    requests: input.loaded.map(({ key }) => toVerifyRequest(serviceKey, key)),
    connections: CONNECTIONS,
    seconds: input.seconds,
    ratePerSecond: LOAD_PER_SECOND,
    acceptedStart: '{"valid":true',
  });
  // Rejects below, where it is waited for.
  loading.catch(() => undefined);
  const endsAtMs = performance.now() + input.seconds * 1000;
  const delaysMs: number[] = [];
  for (const victim of input.victims) {
    if (performance.now() < endsAtMs) {
      delaysMs.push(await revokeInUse(product, { serviceKey, victim }));
    }
  }
  const result = await loading;
  assertAllAccepted(result, "turnpike");
  return { delaysMs, callsPerSecond: result.answers / result.seconds };
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const seconds = options.seconds * options.rounds;
  const home = await makeProductHome();
  const load = startLoadGenerator();
  try {
    const product = await startProduct(home);
    try {
      const revocations = seconds * REVOCATIONS_PER_SECOND;
      const { serviceKey, keys } = await createCustomers(product, {
        tenants: TENANTS,
        keys: LOADED_KEYS + revocations,
      });
      options.note(`${String(seconds)} s of revocations under load`);
      const { delaysMs, callsPerSecond } = await measure(
        { product, load, serviceKey },
        { loaded: keys.slice(0, LOADED_KEYS), victims: keys.slice(LOADED_KEYS), seconds },
      );
      const p50 = round(percentile(delaysMs, 0.5));
      const p99 = round(percentile(delaysMs, 0.99));
      const max = round(Math.max(...delaysMs));
      return {
        table: [{ revocations: delaysMs.length, "p50 ms": p50, "p99 ms": p99, "max ms": max }],
        ratios: { oneSecond: round(Math.max(...delaysMs) / BAR_MS) },
        figures: {
          revocations: delaysMs.length,
          delayMsP50: p50,
          delayMsP99: p99,
          delayMsMax: max,
          callsPerSecond: Math.round(callsPerSecond),
        },
        remarks: [
          `One process, ${String(Math.round(callsPerSecond))} other calls/s, keys revoked while ${String(PROBES)} programs use them.`,
          "Counted from the moment the revocation was asked for, which is before its commit, to the last answer that let the key through.",
          "Smaller is better: oneSecond is the longest of all delays over one second.",
          ...pinningRemarks(),
        ],
      };
    } finally {
      await product.stop();
    }
  } finally {
    await load.stop();
    await home.remove();
  }
}

export const propagationBench: Bench = {
  name: "propagation",
  summary: "How long a revoked key is still let through, at random moments under load.",
  defaults: { seconds: 10, rounds: 2 },
  run,
};
