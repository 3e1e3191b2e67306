import { z } from "zod";
import { isLoopbackHost } from "#platform/outbound.ts";
import { databaseAddress } from "./config-database-address.ts";
import type { Mistake } from "./config-file.ts";
import { origin } from "./config-origin.ts";
import { writeLike } from "./config-shape.ts";

/** This installation as one cell of several. */
export const cellSection = z
  .strictObject(
    {
      name: z
        .string()
        .regex(
          /^[a-z][a-z0-9-]{0,30}$/,
          "Lower-case letters, digits and dashes, starting with a letter.",
        )
        .describe("Its name among the cells. Never change it: the directory knows tenants by it."),
      address: origin.describe(
        "How nodes of other cells reach the gateway of this one: scheme, host and port, such as `https://gateway.eu.internal`. By `http` only with `plainHttp`, or on this machine.",
      ),
      plainHttp: z
        .boolean()
        .default(false)
        .describe(
          "`true` allows `http` to another machine: keys of your customers then travel unencrypted between the cells.",
        ),
    },
    writeLike("cell: { name: eu, address: https://gateway.eu.internal }"),
  )
  .superRefine(({ address, plainHttp }, context) => {
    if (!URL.canParse(address)) {
      return;
    }
    const { protocol, hostname } = new URL(address);
    if (protocol === "http:" && !plainHttp && !isLoopbackHost(hostname)) {
      context.addIssue({
        code: "custom",
        path: ["address"],
        message: "Use https, or set plainHttp: keys would travel unencrypted.",
      });
    }
  });

/** The variables of the environment. */
export const cellVariables = {
  TURNPIKE_DIRECTORY_URL: databaseAddress.optional(),
  TURNPIKE_CELLS_SECRET: z.string().min(32, "At least 32 characters.").optional(),
};

type Given = {
  TURNPIKE_DIRECTORY_URL?: string | undefined;
  TURNPIKE_CELLS_SECRET?: string | undefined;
};

/** A cell needs its name, the directory and the secret: all of them or none. */
export function findCellMistakes(
  env: Given | undefined,
  file: { cell?: { name: string } | undefined } | undefined,
): Mistake[] {
  if (env === undefined || file === undefined) {
    return [];
  }
  const given = {
    "cell in turnpike.yaml": file.cell,
    TURNPIKE_DIRECTORY_URL: env.TURNPIKE_DIRECTORY_URL,
    TURNPIKE_CELLS_SECRET: env.TURNPIKE_CELLS_SECRET,
  };
  const names = Object.entries(given);
  const there = names.filter(([, value]) => value !== undefined);
  const [first] = there;
  if (first === undefined || there.length === names.length) {
    return [];
  }
  const missing = names.filter(([, value]) => value === undefined).map(([name]) => name);
  return [
    {
      place: first[0] === "cell in turnpike.yaml" ? "cell" : first[0],
      message: `A cell of several also needs ${missing.join(" and ")}.`,
    },
  ];
}
