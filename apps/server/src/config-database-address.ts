import { findAddressMistake } from "@turnpike/db/database-address";
import { z } from "zod";

/** The address of a PostgreSQL database in a variable of the environment. */
export const databaseAddress = z
  .string()
  .regex(/^postgres(ql)?:\/\//, {
    error: "An address that begins with postgres://.",
    abort: true,
  })
  .superRefine((address, context) => {
    const message = findAddressMistake(address);
    if (message !== undefined) {
      context.addIssue({ code: "custom", message });
    }
  });
