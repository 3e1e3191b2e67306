import { afterAll, vi } from "vitest";

// Files of a worker share their globals: a fake clock left behind would stop every wait of the next file.
afterAll(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
