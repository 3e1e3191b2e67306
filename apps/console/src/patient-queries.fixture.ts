import { configure, prettyDOM } from "@testing-library/react";
import { loadLayers } from "@turnpike/ui/late-layer";
import { beforeAll, vi } from "vitest";
import { installLightStyles } from "./light-styles.fixture.ts";

/** A busy machine is slow, not broken: this bound only ends a wait that hangs. Testing Library's own gives up after a second. */
const WAIT_MAX_MS = 120_000;

// What floats is there, as for a person who has done something; how it comes has a test of its own.
beforeAll(loadLayers);
configure({
  asyncUtilTimeout: WAIT_MAX_MS,
  // A wait makes an error for each look that finds nothing: the document is printed when one is read.
  getElementError: function makeError(message, container) {
    const error = new Error(message ?? "");
    // The frame that is shown is the test's.
    Error.captureStackTrace(error, makeError);
    error.name = "TestingLibraryElementError";
    Object.defineProperty(error, "message", {
      configurable: true,
      get: () => [message, prettyDOM(container)].filter(Boolean).join("\n\n"),
    });
    return error;
  },
});
// jsdom lays nothing out, so sizes never change. A chart that loads during a test asks for them.
globalThis.ResizeObserver ??= class {
  observe = vi.fn();
  unobserve = vi.fn();
  disconnect = vi.fn();
};
installLightStyles();
