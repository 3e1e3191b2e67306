import { z } from "zod";
import { operation } from "./operation.ts";
import { instant } from "./shapes.ts";

export const referenceVisit = z.strictObject({
  url: z.string().describe("Opens the reference in one browser, once it is followed in time."),
  expiresAt: instant,
});

/** The reference of the operator's own API, for its customers. */
export const referenceContract = {
  visit: operation({ scope: "person" })
    .route({
      method: "POST",
      path: "/reference-visits",
      successStatus: 201,
      summary: "Get an address that opens the reference of the operator's API",
      description:
        "For a reference that only signed-in people may read. The address works for a minute, and the browser that follows it reads for twelve hours.",
      tags: ["Reference"],
    })
    .input(z.strictObject({}))
    .output(referenceVisit),
};
