/** `npm run soak` sets this. The files that ask carry one of the suffixes that it runs. */
export const IS_SOAK = process.env["TURNPIKE_SOAK"] === "1";
