import { ENVIRONMENTS } from "@turnpike/domain/keys/key-format";
import { z } from "zod";

export const environment = z
  .enum(ENVIRONMENTS)
  .default("live")
  .describe("`test` is the sandbox of the tenant: it has a clock of its own and owes nothing.");
