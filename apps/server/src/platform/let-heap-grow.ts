import { setFlagsFromString } from "node:v8";

/**
 * How far the heap may grow beyond what was alive in it, in percent, before all of it is looked through for garbage. V8 starts
 * at about a quarter more, which under load is every few seconds: each time its threads take the core from calls for some
 * 60 ms. A process of a thousand keys has 45 MB alive, so that this costs 90 MB; about half a minute lies between two then.
 */
const GROWTH_PERCENT = 200;

/** For a process that answers calls; holds for all of its threads. Limits of the heap hold as before. */
export function letHeapGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${String(GROWTH_PERCENT)}`);
}
