import { z } from "zod";

/** Each holds connections to the database, of which a server has a hundred by default. */
export const WORKERS_MAX = 16;
const WORKERS_EXPECTED = `A whole number from 1 to ${String(WORKERS_MAX)}, or auto.`;
export const workers = z
  .union(
    [z.literal("auto"), z.int().min(1, WORKERS_EXPECTED).max(WORKERS_MAX, WORKERS_EXPECTED)],
    WORKERS_EXPECTED,
  )
  .describe(
    `Threads that serve calls: 1 to ${String(WORKERS_MAX)}, or \`auto\` for one a core. They share both ports and all limits. More than 1 needs a system that spreads the connections of a port, such as Linux. \`TURNPIKE_WORKERS\` overrides it.`,
  );
