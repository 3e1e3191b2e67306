/** `npm run soak` sets this to 1. */
export const SOAK_SETTING = "TURNPIKE_SOAK";

/** The files that ask carry one of the suffixes that `npm run soak` runs. */
export const IS_SOAK = process.env[SOAK_SETTING] === "1";
