import { resolve } from "node:path";
import { z } from "zod";
import { isLoopbackHost } from "#platform/outbound.ts";
import { readSecret } from "./config-client-secrets.ts";
import type { Mistake } from "./config-file.ts";
import { origin } from "./config-origin.ts";

/** Longer than most laws let anyone keep who called what and when. */
const CALLS_DAYS_MAX = 400;

/** Where usage over all tenants is summed, and their calls are logged. */
export const clickhouseSection = z
  .strictObject({
    url: origin.describe(
      "Its HTTP interface: scheme, host and port, such as `https://clickhouse.internal:8443`. It may be in a private network; by `http` only with `plainHttp`, or on this machine.",
    ),
    database: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, "Letters, digits and _, not beginning with a digit.")
      .default("default")
      .describe("The database, which must exist. Turnpike makes its tables there."),
    user: z
      .string()
      .regex(/^[^\s:]{1,100}$/, "A name without spaces and colons.")
      .default("default")
      .describe(
        "User of the database: may create, drop, read, insert into and delete from tables.",
      ),
    passwordFile: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        "Path of a file with the password, relative to this file. Left out: `TURNPIKE_CLICKHOUSE_PASSWORD`, or no password.",
      ),
    timeoutMs: z
      .int()
      .min(1_000)
      .max(60_000)
      .default(30_000)
      .describe("Milliseconds that a question may take there."),
    callsDays: z
      .int()
      .min(0)
      .max(CALLS_DAYS_MAX)
      .default(0)
      .describe(
        "Days for which every call of every tenant is kept there, for the operator's search. 0: none are kept, and what was is deleted. See [every call](scale.md#every-call).",
      ),
    plainHttp: z
      .boolean()
      .default(false)
      .describe("`true` allows `http` to another machine: usage then travels unencrypted."),
  })
  .superRefine(({ url, plainHttp }, context) => {
    const { protocol, hostname } = new URL(url);
    if (protocol === "http:" && !plainHttp && !isLoopbackHost(hostname)) {
      context.addIssue({
        code: "custom",
        path: ["url"],
        message: "Use https, or set plainHttp: usage would travel unencrypted.",
      });
    }
  });

type Section = z.output<typeof clickhouseSection>;

/** The variable of the environment. */
export const clickhouseVariables = {
  TURNPIKE_CLICKHOUSE_PASSWORD: z.string().min(1).max(1_000).optional(),
};

/** The password comes from the file or from the environment, and from one of them at most. */
export function findClickHouseMistakes(
  password: string | undefined,
  section: Section | undefined,
): Mistake[] {
  if (password === undefined || (section !== undefined && section.passwordFile === undefined)) {
    return [];
  }
  return [
    {
      place: "TURNPIKE_CLICKHOUSE_PASSWORD",
      message:
        section === undefined
          ? "Is set, and clickhouse is not."
          : "Is set as well as clickhouse.passwordFile: keep one of them.",
    },
  ];
}

/** The password; undefined where there is none. */
export function toClickHousePassword(
  given: string | undefined,
  { section, folder }: { section: Section | undefined; folder: string },
): string | undefined {
  return section?.passwordFile === undefined
    ? given
    : readSecret(resolve(folder, section.passwordFile));
}
