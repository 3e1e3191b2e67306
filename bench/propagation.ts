import type { Bench, BenchOptions, BenchResult } from "./rig/bench.ts";
import { type CustomerKey, createCustomers, toVerifyRequest } from "./rig/customers.ts";
import { cutListening } from "./rig/cut-listening.ts";
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

type Change = "revoke" | "disable";

/**
 * Revokes or disables a key in use.
 *
 * @returns Milliseconds from the moment the change was asked for, which is before it was committed, to the last answer
 *   that let the key through: never less than what is measured for.
 */
async function endInUse(
  product: Product,
  input: { serviceKey: string; victim: CustomerKey; change: Change },
): Promise<number> {
  const { serviceKey, victim } = input;
  const probe: Probe = { product, serviceKey, key: victim.key };
  const probes = Array.from({ length: PROBES }, () => useUntilRefused(probe));
  // Anywhere in the change feed's cycle of polls.
  await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 100));
  const askedAtMs = performance.now();
  const path = `/v1/tenants/${victim.tenantId}/keys/${victim.keyId}`;
  const changed = callJson(product.port, {
    credential: serviceKey,
    ...(input.change === "revoke"
      ? { method: "POST", path: `${path}/revoke`, body: {} }
      : { method: "PATCH", path, body: { disabled: true } }),
  });
  const [last] = await Promise.all([Promise.all(probes), changed]);
  return Math.max(0, Math.max(...last) - askedAtMs);
}

async function measure(
  rig: { product: Product; load: LoadGenerator; serviceKey: string },
  input: { loaded: readonly CustomerKey[]; victims: readonly CustomerKey[]; seconds: number },
): Promise<{ delaysMs: Record<Change, number[]>; callsPerSecond: number }> {
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
  const delaysMs: Record<Change, number[]> = { revoke: [], disable: [] };
  for (const [index, victim] of input.victims.entries()) {
    if (performance.now() < endsAtMs) {
      const change = index % 2 === 0 ? "revoke" : "disable";
      delaysMs[change].push(await endInUse(product, { serviceKey, victim, change }));
    }
  }
  const result = await loading;
  assertAllAccepted(result, "turnpike");
  return { delaysMs, callsPerSecond: result.answers / result.seconds };
}

function summarise(change: Change, notifications: "heard" | "cut", delaysMs: readonly number[]) {
  return {
    change,
    notifications,
    count: delaysMs.length,
    "p50 ms": round(percentile(delaysMs, 0.5)),
    "p99 ms": round(percentile(delaysMs, 0.99)),
    "max ms": round(Math.max(...delaysMs)),
  };
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const seconds = options.seconds * options.rounds;
  const home = await makeProductHome();
  const load = startLoadGenerator();
  try {
    const product = await startProduct(home);
    try {
      const victims = seconds * REVOCATIONS_PER_SECOND;
      const { serviceKey, keys } = await createCustomers(product, {
        tenants: TENANTS,
        keys: LOADED_KEYS + 2 * victims,
      });
      const loaded = keys.slice(0, LOADED_KEYS);
      options.note(`${String(seconds)} s under load, with notifications`);
      const heard = await measure(
        { product, load, serviceKey },
        { loaded, victims: keys.slice(LOADED_KEYS, LOADED_KEYS + victims), seconds },
      );
      options.note(`${String(seconds)} s under load, notifications cut`);
      const stopCutting = await cutListening(home);
      const polled = await measure(
        { product, load, serviceKey },
        { loaded, victims: keys.slice(LOADED_KEYS + victims), seconds },
      ).finally(stopCutting);
      const rows = [
        summarise("revoke", "heard", heard.delaysMs.revoke),
        summarise("disable", "heard", heard.delaysMs.disable),
        summarise("revoke", "cut", polled.delaysMs.revoke),
        summarise("disable", "cut", polled.delaysMs.disable),
      ];
      const callsPerSecond = Math.round(Math.min(heard.callsPerSecond, polled.callsPerSecond));
      return {
        table: rows,
        ratios: { oneSecond: round(Math.max(...rows.map((row) => row["max ms"])) / BAR_MS) },
        figures: {
          ...Object.fromEntries(
            rows.flatMap((row) => {
              const name = `${row.change}${row.notifications === "cut" ? "Cut" : ""}`;
              return [
                [`${name}MsP50`, row["p50 ms"]],
                [`${name}MsP99`, row["p99 ms"]],
                [`${name}MsMax`, row["max ms"]],
              ];
            }),
          ),
          callsPerSecond,
        },
        remarks: [
          `One process, ${String(callsPerSecond)} other calls/s, keys revoked or disabled while ${String(PROBES)} programs use them.`,
          "Counted from the moment the change was asked for, which is before its commit, to the last answer that let the key through.",
          "Cut: every connection for notifications is ended as soon as it is there, so that only polling is left.",
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
  summary:
    "How long a revoked or disabled key is still let through, under load, with notifications and without.",
  defaults: { seconds: 10, rounds: 2 },
  run,
};
