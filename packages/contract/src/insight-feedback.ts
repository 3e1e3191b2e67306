import { CAUSE_DIMENSIONS } from "@turnpike/domain/insights/explain-change";
import { WATCHED_MEASURES } from "@turnpike/domain/insights/incident";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, tenantId } from "./shapes.ts";

/** Anomalies alike: of one measure, explained by one dimension; null for those that are everywhere. */
const likeness = {
  measure: z.enum(WATCHED_MEASURES),
  dimension: z.enum(CAUSE_DIMENSIONS).nullable(),
};

/** Anomalies that are shown less often, because members said that others like them were not useful. */
export const raisedConfidence = z.strictObject({
  ...likeness,
  /** The confidence from which they are shown, from 0.5 to 0.9; 0.5 is as usual. */
  required: z.number(),
  /** How many were not useful. */
  votes: z.int(),
  /** When they are shown as usual again, without further feedback. */
  until: instant,
});
export type RaisedConfidence = z.infer<typeof raisedConfidence>;

const raisedList = z.strictObject({ items: z.array(raisedConfidence) });

const tags = ["Insights"];
const path = "/tenants/{tenantId}/insights/feedback";

export const insightFeedbackContract = {
  list: operation({ scope: "usage:read" })
    .route({
      method: "GET",
      path,
      summary: "List which anomalies are shown less often because of feedback",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(raisedList),
  reset: operation({ scope: "alerts:write", worksWhenFull: true })
    .route({
      method: "POST",
      path: `${path}/reset`,
      summary: "Show anomalies as usual again: take back what was said against others like them",
      tags,
    })
    .input(z.strictObject({ tenantId, ...likeness }))
    .output(raisedList),
};
