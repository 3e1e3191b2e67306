/** A busy machine is slow, not broken: this bound only ends a wait that hangs. Testing Library's own gives up after a second. */
const WAIT_MAX_MS = 120_000;

// Tests without a DOM do not load React either.
if ("document" in globalThis) {
  const { configure } = await import("@testing-library/react");
  configure({ asyncUtilTimeout: WAIT_MAX_MS });
}

export {};
