import { z } from "zod";

/** What GitHub's secret scanning reports at the most in one call, as far as we take it. */
export const LEAK_TOKENS_MAX = 1_000;

/**
 * A report of GitHub's secret scanning: texts that look like keys, each with where it was found. Names that are not known
 * are left alone, since the protocol is not ours.
 */
export const leakReport = z
  .array(
    z.object({
      token: z.string().min(1).max(4_096),
      type: z.string().max(200),
      /** Empty when the place has no address. */
      url: z.string().max(8_192).nullish(),
      /** Kind of the place, in any case of letters; the list of them grows. */
      source: z.string().max(100).nullish(),
    }),
  )
  .max(LEAK_TOKENS_MAX, `At most ${String(LEAK_TOKENS_MAX)} tokens in a report.`);
export type LeakedToken = z.output<typeof leakReport>[number];

/** What GitHub learns of each: whether it was a key, by the hash of its text. */
export const leakFeedback = z.array(
  z.strictObject({
    /** SHA-256, lower-case hexadecimal. */
    token_hash: z.string(),
    token_type: z.string(),
    label: z.enum(["true_positive", "false_positive"]),
  }),
);
export type LeakFeedback = z.infer<typeof leakFeedback>;
