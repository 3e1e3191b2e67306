import { z } from "zod";

/** Where the nodes of an installation count together. */
export const rateLimitsSection = z
  .strictObject({
    store: z
      .enum(["memory", "postgres", "valkey"])
      .default("memory")
      .describe(
        "Where rate limits and attempts to sign in are counted. `memory`: in each process, for one node. Several nodes count together in `postgres`, the database, or in `valkey`, a Valkey or Redis at `TURNPIKE_VALKEY_URL`. See [Many machines](scale.md#rate-limits).",
      ),
    timeoutMs: z
      .int()
      .min(1)
      .max(5_000)
      .default(100)
      .describe(
        "Milliseconds that calls wait for the store. Without an answer each process decides with its share of every limit, until the store answers again.",
      ),
    prefix: z
      .string()
      .regex(/^[a-z0-9][a-z0-9:_-]{0,62}$/, "Small letters, digits, and : _ - between them.")
      .default("turnpike")
      .describe("How the keys in Valkey begin: installations that share a server need two."),
  })
  .prefault({});

/** The variable of the environment. */
export const valkeyVariables = {
  TURNPIKE_VALKEY_URL: z
    .url({
      protocol: /^(redis|valkey)s?$/,
      error: "An address such as valkey://user:password@host:6379/0.",
    })
    .optional(),
};
