import { request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { BenchResult } from "./bench.ts";
import type { Product } from "./product.ts";
import { readResidentBytes } from "./product-memory.ts";
import { round } from "./statistics.ts";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const SAMPLE_INTERVAL_MS = 50;
const TIMEOUT_MS = 120_000;
const piece = Buffer.alloc(64 * 1024, "x");

function* gigabyte(): Generator<Buffer> {
  for (let sent = 0; sent < GIB; sent += piece.length) {
    yield piece;
  }
}

/** @returns Bytes of the answer, and its text while it is short. */
async function call(
  product: Product,
  input: { method: "GET" | "POST"; key: string },
): Promise<{ bytes: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ bytes: number; text: string }>();
  const req = request({
    host: "127.0.0.1",
    port: product.gatewayPort,
    path: "/gigabyte",
    method: input.method,
    headers: { authorization: `Bearer ${input.key}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  req.on("error", reject);
  req.on("response", (res) => {
    let bytes = 0;
    let text = "";
    res.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      text = bytes <= MIB ? text + chunk.toString("latin1") : text;
    });
    res.on("error", reject);
    res.on("end", () => resolve({ bytes, text }));
  });
  if (input.method === "POST") {
    // When the gateway refuses, its answer says more than the pipe that broke.
    await pipeline(Readable.from(gigabyte()), req).catch(reject);
  } else {
    req.end();
  }
  return await promise;
}

/** The largest resident size of the product's process while something is done, over that before, MiB. */
async function measureGrowth(product: Product, work: () => Promise<void>) {
  const before = readResidentBytes(product.pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, readResidentBytes(product.pid));
  }, SAMPLE_INTERVAL_MS);
  const startedAtMs = performance.now();
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  const seconds = (performance.now() - startedAtMs) / 1000;
  return { grownMib: Math.round((most - before) / MIB), mibPerSecond: GIB / MIB / seconds };
}

/** Calls that {@link streamGigabytes} makes. */
export const STREAM_CALLS = 2;

/**
 * Sends 1 GiB through the gateway in each direction and watches the size of its process.
 *
 * @throws when a body did not arrive whole.
 */
export async function streamGigabytes(
  product: Product,
  key: string,
): Promise<Pick<BenchResult, "figures" | "remarks">> {
  const down = await measureGrowth(product, async () => {
    const { bytes } = await call(product, { method: "GET", key });
    if (bytes !== GIB) {
      throw new Error(`Of 1 GiB, ${String(bytes)} bytes arrived.`);
    }
  });
  const up = await measureGrowth(product, async () => {
    const { text } = await call(product, { method: "POST", key });
    if (text !== String(GIB)) {
      throw new Error(`Of 1 GiB sent up, the upstream says: ${text.slice(0, 200)}`);
    }
  });
  return {
    figures: {
      gibDownGrownMib: down.grownMib,
      gibUpGrownMib: up.grownMib,
      gibDownMibPerSecond: Math.round(down.mibPerSecond),
      gibUpMibPerSecond: Math.round(up.mibPerSecond),
    },
    remarks: [
      `A body of 1 GiB down made the process grow by at most ${String(down.grownMib)} MiB (${String(round(down.mibPerSecond))} MiB/s), one of 1 GiB up by ${String(up.grownMib)} MiB (${String(round(up.mibPerSecond))} MiB/s); sampled every ${String(SAMPLE_INTERVAL_MS)} ms.`,
    ],
  };
}
