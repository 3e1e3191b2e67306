import { z } from "zod";
import { operation } from "./operation.ts";
import { plainText, tenantId, userId } from "./shapes.ts";
import { member } from "./tenants.ts";

export const ownershipContract = {
  /** Owners alone may: it takes the scope that only they have. */
  transfer: operation({ scope: "tenants:delete" })
    .route({
      method: "POST",
      path: "/tenants/{tenantId}/transfer",
      summary: "Make a member the owner in one's own place; one becomes an admin",
      tags: ["Tenants"],
    })
    .input(
      z.strictObject({
        tenantId,
        /** The member who becomes an owner. */
        userId,
        /** The name of the tenant, typed as a confirmation. */
        name: plainText(100),
      }),
    )
    .output(member),
};
