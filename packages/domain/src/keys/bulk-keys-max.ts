/** The maximum number of keys in one call, all changed in one transaction. */
export const BULK_KEYS_MAX = 500;
