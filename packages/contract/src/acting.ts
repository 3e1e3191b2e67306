import { z } from "zod";
import { operation } from "./operation.ts";
import { displayText, instant, tenantId } from "./shapes.ts";

/** How long an operator acts in a tenant at most, in minutes. */
export const ACTING_MINUTES = 60;
export const ACTING_REASON_LENGTH = { min: 10, max: 500 } as const;

export const acting = z.strictObject({
  actingId: z.string(),
  tenantId,
  reason: z.string(),
  startedAt: instant,
  expiresAt: instant,
});
export type Acting = z.infer<typeof acting>;

const tags = ["Acting"];

export const actingContract = {
  get: operation({ scope: "person" })
    .route({
      method: "GET",
      path: "/acting",
      summary: "Get in which tenant the operator acts right now",
      tags,
    })
    .input(z.strictObject({}))
    .output(z.strictObject({ acting: acting.nullable() })),
  start: operation({ scope: "person" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/acting",
      successStatus: 201,
      summary:
        "Act in a tenant as one of its admins, for an hour, with a reason that its members read",
      tags,
    })
    .input(
      z.strictObject({
        tenantId,
        reason: displayText(ACTING_REASON_LENGTH.max).refine(
          (reason) => reason.length >= ACTING_REASON_LENGTH.min,
          { error: `At least ${String(ACTING_REASON_LENGTH.min)} characters.` },
        ),
      }),
    )
    .output(acting),
  end: operation({ scope: "person", worksWhenFull: true })
    .route({ method: "POST", path: "/acting/end", summary: "Stop acting in a tenant", tags })
    .input(z.strictObject({}))
    .output(z.strictObject({ acting: z.null() })),
};
