import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { REPLAY_HOST } from "./replay-stub.ts";

/** What an installation without upstreams of its own serves, in the form of the configuration. */
export type DemoUpstreams = {
  upstreams: {
    name: string;
    url: string;
    testUrl: "same";
    hosts?: string[];
    timeouts: { connectMs: number; headersMs: number; idleMs: number };
    maxRequestBytes: number;
    preserveHost: boolean;
  }[];
  stop(): Promise<void>;
};

const START_TIMEOUT_MS = 10_000;

const LIMITS = {
  // The demo API has nothing that a test could spoil.
  testUrl: "same",
  timeouts: { connectMs: 5_000, headersMs: 60_000, idleMs: 120_000 },
  maxRequestBytes: 100 * 1024 * 1024,
  preserveHost: false,
} as const;

/**
 * Runs the demo API, and beside it the stub that `npm run replay` sends logs to, in a thread of their own on free loopback
 * ports: what the gateway serves until the operator names an upstream.
 */
export async function startDemoUpstreams(): Promise<DemoUpstreams> {
  const worker = new Worker(new URL("../demo-upstream-thread.ts", import.meta.url));
  const [ports] = (await once(worker, "message", {
    signal: AbortSignal.timeout(START_TIMEOUT_MS),
  })) as [{ demoPort: number; replayPort: number }];
  const urlOf = (port: number) => `http://127.0.0.1:${String(port)}`;
  return {
    upstreams: [
      { name: "demo", url: urlOf(ports.demoPort), ...LIMITS },
      { name: "replay-stub", url: urlOf(ports.replayPort), hosts: [REPLAY_HOST], ...LIMITS },
    ],
    stop: async () => {
      await worker.terminate();
    },
  };
}
