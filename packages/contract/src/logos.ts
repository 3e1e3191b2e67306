import { z } from "zod";
import { operation } from "./operation.ts";
import { tenantId } from "./shapes.ts";

/** What the pictures of a logo hash to, in hexadecimal digits: part of their address. */
export const logoId = z.string().regex(/^[0-9a-f]{64}$/, "64 hexadecimal digits.");

/** The answer to an upload. */
export const logo = z.strictObject({ logoId });
export type Logo = z.infer<typeof logo>;

/**
 * There are also plain routes: `PUT …/logo?fit=contain|cover` takes a picture, and `GET /v1/logos/{logoId}/{picture}` shows it to
 * everyone who knows its address, as `64.webp`, `128.webp`, `256.webp` or `256.png`.
 */
export const logosContract = {
  remove: operation({ scope: "tenants:write" })
    .route({
      method: "DELETE",
      path: "/tenants/{tenantId}/logo",
      successStatus: 204,
      summary: "Remove the logo of a tenant",
      tags: ["Tenants"],
    })
    .input(z.strictObject({ tenantId })),
};
