import { ROLES } from "@turnpike/domain/access/scopes";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, tenantId, userId } from "./shapes.ts";

/** No ID token is longer: a request's headers have 16 kB in all. */
export const ID_TOKEN_LENGTH_MAX = 8_192;

/** Tenants that `/auth/verify` answers at the most; `GET /v1/tenants` pages through all of them. */
export const VERIFIED_TENANTS_MAX = 100;

/** `POST /auth/verify`: plain node:http beside the contract, with these shapes. */
export const verifyTokenRequest = z.strictObject({
  /** The person's ID token. */
  token: z.string().min(1).max(ID_TOKEN_LENGTH_MAX),
});

/** A signed-in person, as the person may see it. Nothing in it is secret: browsers print it to their console. */
export const signedInUser = z.strictObject({
  userId,
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  name: z.string().nullable(),
  isOperator: z.boolean(),
});
export type SignedInUser = z.infer<typeof signedInUser>;

/** A tenant that the person belongs to. */
export const ownTenant = z.strictObject({
  tenantId,
  name: z.string(),
  slug: z.string(),
  role: z.enum(ROLES),
  planId: z.string(),
  suspendedAt: instant.nullable(),
  createdAt: instant,
});
export type OwnTenant = z.infer<typeof ownTenant>;

export const verifyTokenResponse = z.strictObject({
  user: signedInUser,
  /** Oldest first. Of an operator too: their own memberships only. */
  tenants: z.array(ownTenant).max(VERIFIED_TENANTS_MAX),
});
export type VerifyTokenResponse = z.infer<typeof verifyTokenResponse>;

const setupCode = z.strictObject({ code: z.string().min(1).max(200) });

export const setupContract = {
  /** For a page that must not promise what an old, used or invented link cannot do. */
  check: operation({ scope: "public" })
    .route({
      method: "POST",
      path: "/setup/check",
      summary: "See whether a setup code can still be claimed; it is not used up",
      tags: ["Setup"],
    })
    .input(setupCode)
    .output(z.strictObject({ valid: z.boolean() })),
  claim: operation({ scope: "person" })
    .route({
      method: "POST",
      path: "/setup/claim",
      summary: "Become the operator of a fresh installation by its setup code, once",
      tags: ["Setup"],
    })
    .input(setupCode)
    .output(z.strictObject({ user: signedInUser })),
};
