/** Where a test says which worker dies, and how. */
export const CRASH_CHANNEL = "test.crash-worker";

export type CrashOrder = { worker: number; how: "throw" | "memory" };
