/** The most keys of one call: all of them change in one transaction. */
export const BULK_KEYS_MAX = 500;
