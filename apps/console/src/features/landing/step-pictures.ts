import call from "./pictures/call.svg?no-inline";
import key from "./pictures/key.svg?no-inline";
import usage from "./pictures/usage.svg?no-inline";

/**
 * Addresses of drawings of the running console, made by `tools/landing-pictures.ts`. Each has the symbol `picture` of 1280 by 800, which
 * takes its colours from the page that uses it.
 */
export const STEP_PICTURES = { key, call, usage } as const;
