/** From the pointer on a link to the preload of what it leads to, in milliseconds: spec.md §9. */
export const PRELOAD_DELAY_MS = 50;
