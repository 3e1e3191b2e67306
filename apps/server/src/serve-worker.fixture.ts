import { BroadcastChannel, workerData } from "node:worker_threads";
import { CRASH_CHANNEL, type CrashOrder } from "./crash-worker.fixture.ts";
import type { ServeWorkerData } from "./serve-worker.ts";

const crashes = new BroadcastChannel(CRASH_CHANNEL);
const { worker } = workerData as ServeWorkerData;
crashes.onmessage = (event) => {
  const { data } = event as { data: CrashOrder };
  if (data.worker !== worker) {
    return;
  }
  if (data.how === "throw") {
    setImmediate(() => {
      throw new Error("a fault that nothing catches");
    });
    return;
  }
  const hoard: unknown[] = [];
  for (;;) {
    hoard.push(Array.from({ length: 100_000 }, (_, index) => ({ index })));
  }
};
crashes.unref();

await import("./serve-worker.ts");
