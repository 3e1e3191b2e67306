/** The most events that a meter is tried on instead of recorded ones, in one request. */
export const SAMPLES_MAX = 100;
