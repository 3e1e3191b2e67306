import { once } from "node:events";
import { Worker } from "node:worker_threads";

export type DemoUpstream = { url: string; stop(): Promise<void> };

const START_TIMEOUT_MS = 10_000;

/**
 * Runs the demo API in a thread of its own, on a free loopback port: what the gateway serves until the operator names an
 * upstream.
 */
export async function startDemoUpstream(): Promise<DemoUpstream> {
  const worker = new Worker(new URL("../demo-upstream-thread.ts", import.meta.url));
  const [port] = (await once(worker, "message", {
    signal: AbortSignal.timeout(START_TIMEOUT_MS),
  })) as [number];
  return {
    url: `http://127.0.0.1:${String(port)}`,
    stop: async () => {
      await worker.terminate();
    },
  };
}
