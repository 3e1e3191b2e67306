import { z } from "zod";

/** The most tokens accepted in one report of GitHub's secret scanning. */
export const LEAK_TOKENS_MAX = 1_000;

/**
 * A report of GitHub's secret scanning: texts that look like keys, and where each was found. Unknown fields are ignored,
 * because the protocol is not ours.
 */
export const leakReport = z
  .array(
    z.object({
      token: z.string().min(1).max(4_096),
      type: z.string().max(200),
      /** Empty when the location has no address. */
      url: z.string().max(8_192).nullish(),
      /** Kind of location, in upper or lower case. GitHub adds to the list of kinds. */
      source: z.string().max(100).nullish(),
    }),
  )
  .max(LEAK_TOKENS_MAX, `At most ${String(LEAK_TOKENS_MAX)} tokens in a report.`);
export type LeakedToken = z.output<typeof leakReport>[number];

/** The answer for each token: whether it was a key, by the hash of its text. */
export const leakFeedback = z.array(
  z.strictObject({
    /** SHA-256, lower-case hexadecimal. */
    token_hash: z.string(),
    token_type: z.string(),
    label: z.enum(["true_positive", "false_positive"]),
  }),
);
export type LeakFeedback = z.infer<typeof leakFeedback>;
