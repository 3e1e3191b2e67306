import { resolve } from "node:path";
import { z } from "zod";
import { isLoopbackHost } from "#platform/outbound.ts";
import { readSecret } from "./config-client-secrets.ts";
import type { Mistake } from "./config-file.ts";
import { origin } from "./config-origin.ts";

const s3 = z
  .strictObject({
    endpoint: origin.describe(
      "Where the store is: scheme, host and port, such as `https://s3.eu-central-1.amazonaws.com`. It may be in a private network; by `http` only with `plainHttp`, or on this machine.",
    ),
    publicEndpoint: origin
      .optional()
      .describe("The same store as browsers reach it, for signed addresses. Left out: `endpoint`."),
    region: z
      .string()
      .regex(/^[a-z0-9-]{1,63}$/, "Small letters, digits and dashes.")
      .default("us-east-1")
      .describe("Region of the bucket; stores without regions take the default."),
    bucket: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
        "3 to 63 small letters, digits, dots and dashes.",
      )
      .describe("Name of the bucket. It must exist, and be private."),
    prefix: z
      .string()
      .max(200)
      .regex(/^(?:[\w.-]+\/)*$/, "Names, each with a slash behind it, such as turnpike/.")
      .default("")
      .describe(
        "Put in front of every key, such as `turnpike/`. What else the bucket has is left alone.",
      ),
    pathStyle: z
      .boolean()
      .default(false)
      .describe(
        "`true` puts the bucket into the path instead of in front of the host, as many stores of one's own want it.",
      ),
    accessKeyId: z
      .string()
      .regex(/^[^\s/,]{3,200}$/, "An access key id, without spaces, commas and slashes.")
      .describe("Id of the access key."),
    secretKeyFile: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        "Path of a file with the secret of the access key, relative to this file. Left out: `TURNPIKE_S3_SECRET_KEY`.",
      ),
    plainHttp: z
      .boolean()
      .default(false)
      .describe("`true` allows `http` to another machine: files then travel unencrypted."),
  })
  .superRefine(({ endpoint, plainHttp }, context) => {
    const { protocol, hostname } = new URL(endpoint);
    if (protocol === "http:" && !plainHttp && !isLoopbackHost(hostname)) {
      context.addIssue({
        code: "custom",
        path: ["endpoint"],
        message: "Use https, or set plainHttp: files would travel unencrypted.",
      });
    }
  });

/** Where the contents of files are kept. */
export const filesSection = z
  .strictObject({
    store: z
      .enum(["disk", "postgres", "s3"])
      .optional()
      .describe(
        "Where uploaded files, logos and exports are kept: `disk`, the data folder of one machine; `postgres`, the database; or `s3`, a bucket. From the latter two every machine serves them. Left out: `postgres` with a `DATABASE_URL`, else `disk`. What another store has is read from there until it is moved, at the next start. See [Many machines](scale.md#files-and-exports).",
      ),
    s3: s3
      .optional()
      .describe(
        "A bucket of an S3-compatible store. It is also read from while `store` names another.",
      ),
  })
  .superRefine(({ store, s3: bucket }, context) => {
    if (store === "s3" && bucket === undefined) {
      context.addIssue({
        code: "custom",
        path: ["store"],
        message: "Needs files.s3: the bucket and how it is reached.",
      });
    }
  })
  .prefault({});

type FilesSection = z.output<typeof filesSection>;

/** The secret comes from the file or from the environment, and from exactly one of them. */
export function findS3Mistakes(
  secret: string | undefined,
  files: FilesSection | undefined,
): Mistake[] {
  if (files === undefined) {
    return [];
  }
  const hasFile = files.s3?.secretKeyFile !== undefined;
  const message =
    files.s3 === undefined
      ? secret !== undefined && "Is set, and files.s3 is not."
      : hasFile === (secret !== undefined) &&
        (hasFile
          ? "Is set as well as files.s3.secretKeyFile: keep one of them."
          : "Is missing: files.s3 needs the secret of its access key, here or as secretKeyFile.");
  return message === false ? [] : [{ place: "TURNPIKE_S3_SECRET_KEY", message }];
}

/** The secret of the access key; undefined where there is no bucket. */
export function toS3Secret(
  given: string | undefined,
  { s3: bucket, folder }: { s3: FilesSection["s3"]; folder: string },
): string | undefined {
  return bucket?.secretKeyFile === undefined
    ? given
    : readSecret(resolve(folder, bucket.secretKeyFile));
}
