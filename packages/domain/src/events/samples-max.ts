/** The most sample events in one request to try a meter. */
export const SAMPLES_MAX = 100;
