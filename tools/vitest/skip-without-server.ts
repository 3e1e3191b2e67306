import { beforeEach, inject } from "vitest";

// A version that is not installed shows as skipped tests, never as passed ones and never as none.
beforeEach((context) => {
  const { skipReason } = inject("testServer");
  context.skip(skipReason !== null, skipReason ?? "");
});
