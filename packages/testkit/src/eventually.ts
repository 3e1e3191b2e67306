import { vi } from "vitest";

/** A busy machine is slow, not broken: this only ends what hangs. */
const DEADLINE_MS = 120_000;
const INTERVAL_MS = 20;

/** Repeats assertions until they hold; `vi.waitFor` alone gives up after a second. */
export async function eventually(assert: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(assert, { timeout: DEADLINE_MS, interval: INTERVAL_MS });
}
