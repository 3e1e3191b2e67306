import { DIGEST_FREQUENCIES } from "@turnpike/domain/insights/digest-schedule";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, tenantId } from "./shapes.ts";
import { timeZone } from "./usage-query.ts";

/** A person's choice for one of their tenants. */
export const insightDigest = z.strictObject({
  tenantId,
  frequency: z.enum(DIGEST_FREQUENCIES),
  /** Days and weeks, and eight in the morning, are in this zone. */
  timeZone: z.string(),
  /** When the next one is due; null when it is off. Without news none is sent. */
  nextAt: instant.nullable(),
});
export type InsightDigest = z.infer<typeof insightDigest>;

export const insightDigestList = z.strictObject({
  items: z.array(insightDigest),
  /** The address that digests go to; null while the person has none that is verified. */
  email: z.string().nullable(),
  /** False without a mail server: then no digest is sent. */
  sendsMail: z.boolean(),
});
export type InsightDigestList = z.infer<typeof insightDigestList>;

export const updateInsightDigestRequest = z.strictObject({
  tenantId,
  frequency: z.enum(DIGEST_FREQUENCIES),
  timeZone,
});

const tags = ["Insights"];
const path = "/insight-digests";

/** Not below `/tenants`: what a person is mailed is the person's own, for programs there is nothing. */
export const insightDigestsContract = {
  list: operation({ scope: "person" })
    .route({
      method: "GET",
      path,
      summary: "List in which of one's tenants one gets digests of insights by mail",
      tags,
    })
    .input(z.strictObject({}))
    .output(insightDigestList),
  update: operation({ scope: "person", worksWhenFull: true })
    .route({
      method: "PUT",
      path,
      summary: "Choose how often one gets a digest of a tenant's insights by mail",
      tags,
    })
    .input(updateInsightDigestRequest)
    .output(insightDigest),
};
