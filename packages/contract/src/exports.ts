import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayName, instant, pageOf, pageQuery, tenantId } from "./shapes.ts";
import { usageQuery } from "./usage-query.ts";

export const EXPORT_FORMATS = ["csv", "json"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** `waiting` and `running` end in `done`, `failed` or `cancelled`; `done` becomes `expired` after a week. */
export const EXPORT_STATES = [
  "waiting",
  "running",
  "done",
  "failed",
  "cancelled",
  "expired",
] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

export const exportId = z
  .string()
  .refine((value) => isId("export", value), {
    error: "Not the id of an export; it looks like exp_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["exp_0199f3b0c1d27a4e8f60112233445566"] });

const {
  tenantId: _tenantId,
  order: _order,
  limit: _limit,
  compare: _compare,
  ...asked
} = usageQuery.shape;

/** The usage question of an export. It always gives all rows, ordered by time and then by most requests. */
export const exportQuestion = z.strictObject(asked);
export type ExportQuestion = z.output<typeof exportQuestion>;

/** The same question as parameters by name, as in the query of `GET …/usage`. */
const askedQuestion = z
  .record(z.string().max(40), z.string().max(10_000))
  .superRefine((value, context) => {
    for (const issue of exportQuestion.safeParse(value).error?.issues ?? []) {
      const [unknown] = issue.code === "unrecognized_keys" ? issue.keys : [];
      context.addIssue({
        code: "custom",
        message: unknown === undefined ? issue.message : "Unknown name.",
        path: unknown === undefined ? [...issue.path] : [unknown],
      });
    }
  })
  .meta({
    description:
      "The parameters of `GET /tenants/{tenantId}/usage`, without `order`, `limit` and `compare`: an export has all rows, by time and then by most requests.",
    examples: [{ measures: "requests,errors", dimensions: "route", grain: "hour" }],
  });

export const usageExport = z.strictObject({
  exportId: z.string(),
  tenantId,
  name: z.string(),
  format: z.enum(EXPORT_FORMATS),
  state: z.enum(EXPORT_STATES),
  question: z.record(z.string(), z.string()),
  /** Inclusive and exclusive, as resolved when the export was requested. */
  from: instant,
  to: instant,
  /** Chunks of the range that are written, and their total. */
  progress: z.strictObject({ done: z.int(), total: z.int() }),
  /** Written so far. */
  rows: z.int(),
  bytes: z.int(),
  /** Why it failed, for people; null otherwise. */
  failure: z.string().nullable(),
  createdAt: instant,
  createdBy: z.string(),
  finishedAt: instant.nullable(),
  /** When the content is deleted; null until the export is done. */
  expiresAt: instant.nullable(),
});
export type UsageExport = z.infer<typeof usageExport>;

export const exportDownload = z.strictObject({
  /** Needs no credential. Anyone who has it can read this export until it expires. */
  url: z.string(),
  expiresAt: instant,
});
export type ExportDownload = z.infer<typeof exportDownload>;

const tags = ["Exports"];
const path = "/tenants/{tenantId}/exports";
const one = z.strictObject({ tenantId, exportId });
const OTHERS = "An export requested by someone else also needs the scope `tenants:write`.";

/** There is also a plain route: `GET …/exports/{exportId}/content`, with a signature, gives the content. */
export const exportsContract = {
  create: operation({ scope: "usage:read" })
    .route({
      method: "POST",
      path,
      successStatus: 202,
      summary: "Export usage as a file of any size",
      description:
        "Written in the background, in chunks: after a crash, finished chunks are not written again.",
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        name: displayName(100),
        format: z.enum(EXPORT_FORMATS),
        question: askedQuestion,
      }),
    )
    .output(usageExport),
  list: operation({ scope: "usage:read" })
    .route({ method: "GET", path, summary: "List exports, newest first", tags })
    .input(z.strictObject({ tenantId, ...pageQuery }))
    .output(pageOf(usageExport)),
  get: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path: `${path}/{exportId}`,
      summary: "Get an export and its progress",
      tags,
    })
    .input(one)
    .output(usageExport),
  cancel: operation({ scope: "usage:read", worksWhenFull: true })
    .route({
      method: "POST",
      path: `${path}/{exportId}/cancel`,
      summary: "Stop an unfinished export and delete what was written",
      description: OTHERS,
      tags,
    })
    .input(one)
    .output(usageExport),
  delete: operation({ scope: "usage:read" })
    .route({
      method: "DELETE",
      path: `${path}/{exportId}`,
      successStatus: 204,
      summary: "Delete an export and its content",
      description: OTHERS,
      tags,
    })
    .input(one),
  download: operation({ scope: "usage:read", worksWhenFull: true })
    .route({
      method: "POST",
      path: `${path}/{exportId}/download`,
      summary: "Create a download address that is valid for five minutes",
      tags,
    })
    .input(one)
    .output(exportDownload),
};
