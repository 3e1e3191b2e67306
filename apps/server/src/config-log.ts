import { z } from "zod";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;

export const logSection = z
  .strictObject({
    level: z
      .enum(LOG_LEVELS)
      .default("info")
      .describe("The least that is written. `TURNPIKE_LOG_LEVEL` overrides it."),
  })
  .prefault({});
