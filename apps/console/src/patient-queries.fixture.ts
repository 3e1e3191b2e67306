/** A busy machine is slow, not broken: this only ends what hangs. Testing Library alone gives up after a second. */
const WAIT_MAX_MS = 120_000;

// Tests without a DOM do without React, too.
if ("document" in globalThis) {
  const { configure } = await import("@testing-library/react");
  configure({ asyncUtilTimeout: WAIT_MAX_MS });
}

export {};
