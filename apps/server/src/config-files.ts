import { z } from "zod";

/** Where the contents of files are kept. */
export const FILE_STORES = ["disk", "postgres"] as const;

export const filesSection = z
  .strictObject({
    store: z
      .enum(FILE_STORES)
      .optional()
      .describe(
        "Where uploaded files, logos and exports are kept: `disk`, the data folder of one machine, or `postgres`, the database, from which every machine serves them. Left out: `postgres` with a `DATABASE_URL`, else `disk`. What another store has is read from there until it is moved, at the next start. See [Many machines](scale.md#files-and-exports).",
      ),
  })
  .prefault({});
