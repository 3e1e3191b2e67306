import { z } from "zod";
import { operation } from "./operation.ts";
import { instant } from "./shapes.ts";

/** What is checked before an installation serves customers, in the order in which it is shown. */
export const CHECK_IDS = [
  "upstreams",
  "addresses",
  "proxy",
  "database",
  "disk",
  "files",
  "clickhouse",
  "clock",
  "nodes",
  "cells",
  "backup",
  "secrets",
  "mail",
  "sign_in",
  "operators",
  "brand",
  "plans",
  "seller",
  "legal",
  "payments",
  "demo",
] as const;
export type CheckId = (typeof CHECK_IDS)[number];

/** `unknown`: it could not be looked at. */
export const CHECK_STATES = ["ok", "warning", "failed", "unknown"] as const;
export type CheckState = (typeof CHECK_STATES)[number];

export const check = z.strictObject({
  id: z.enum(CHECK_IDS),
  title: z.string(),
  state: z.enum(CHECK_STATES),
  /** What was seen, in a sentence; never a secret. */
  seen: z.string(),
  /** What to do; null where there is nothing to do. */
  advice: z.string().nullable(),
  /** Page of the documentation, with its anchor: `operations#backup`. */
  docs: z.string(),
});
export type Check = z.infer<typeof check>;

export const checks = z.strictObject({
  checkedAt: instant,
  version: z.string(),
  configFile: z
    .string()
    .describe("Absolute path of turnpike.yaml: of the file that is read, or of the one to write."),
  checks: z.array(check).length(CHECK_IDS.length),
});
export type Checks = z.infer<typeof checks>;

/** Whether an installation is ready for customers. `turnpike doctor` prints the same list. */
export const checksContract = {
  run: operation({ scope: "outbox:read" })
    .route({
      method: "GET",
      path: "/checks",
      summary: "Check whether the installation is ready for customers",
      description:
        "Looks at addresses, database, disk, file store, clock, backups, secrets, mail, sign-in, brand, plans, seller, terms, payment and upstreams now, each for a few seconds at most. Nothing is changed: of a few bytes that are written to the file store nothing is left.",
      tags: ["Setup"],
    })
    .input(z.strictObject({}))
    .output(checks),
};
