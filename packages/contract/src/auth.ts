import { SCOPES } from "@turnpike/domain/access/scopes";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, roleName, tenantId, userId } from "./shapes.ts";

/** ID tokens are never longer: all request headers together have at most 16 kB. */
export const ID_TOKEN_LENGTH_MAX = 8_192;

/** The most tenants in an answer of `/auth/verify`; `GET /v1/tenants` pages through all of them. */
export const VERIFIED_TENANTS_MAX = 100;

/** `POST /auth/verify`: a plain node:http route outside the contract, with these shapes. */
export const verifyTokenRequest = z.strictObject({
  /** The person's ID token. */
  token: z.string().min(1).max(ID_TOKEN_LENGTH_MAX),
});

/** A signed-in person, as shown to that person. It holds no secret, because browsers print it to their console. */
export const signedInUser = z.strictObject({
  userId,
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  name: z.string().nullable(),
  isOperator: z.boolean(),
});
export type SignedInUser = z.infer<typeof signedInUser>;

/** What a role that a tenant made is called and may do. */
export const customRole = z.strictObject({ name: z.string(), scopes: z.array(z.enum(SCOPES)) });

/** A tenant that the person belongs to. */
export const ownTenant = z.strictObject({
  tenantId,
  name: z.string(),
  slug: z.string(),
  role: roleName,
  /** Of a role that the tenant made itself; left out for built-in ones. */
  customRole: customRole.optional(),
  planId: z.string(),
  suspendedAt: instant.nullable(),
  /** Why, in the operator's words; left out when they gave none and while it is not suspended. */
  suspensionReason: z.string().optional(),
  createdAt: instant,
  /** Part of the address of its logo; null when it has none. */
  logoId: z.string().nullable(),
});
export type OwnTenant = z.infer<typeof ownTenant>;

/** A tenant that has left for another cell, of which the person was a member then. */
export const movedTenant = z.strictObject({
  tenantId,
  /** As it was called when it left. */
  name: z.string(),
  slug: z.string(),
  /** Name of the cell where it lives now. */
  cell: z.string(),
  /** Origin of that cell's console; null while it is not known. */
  consoleUrl: z.string().nullable(),
  /** True while it is on its way: for seconds or minutes it is in no console. */
  isMoving: z.boolean(),
});
export type MovedTenant = z.infer<typeof movedTenant>;

export const verifyTokenResponse = z.strictObject({
  user: signedInUser,
  /** Oldest first. For an operator too, only their own memberships. */
  tenants: z.array(ownTenant).max(VERIFIED_TENANTS_MAX),
  /** The latest first; left out when there are none, which is so in every installation that is no cell of several. */
  movedTenants: z.array(movedTenant).max(VERIFIED_TENANTS_MAX).optional(),
});
export type VerifyTokenResponse = z.infer<typeof verifyTokenResponse>;

const setupCode = z.strictObject({ code: z.string().min(1).max(200) });

export const setupContract = {
  /** Lets a page find out whether a link is old, used or invented before it promises anything. */
  check: operation({ scope: "public", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/setup/check",
      summary: "Check whether a setup code can still be claimed, without using it up",
      tags: ["Setup"],
    })
    .input(setupCode)
    .output(z.strictObject({ valid: z.boolean() })),
  claim: operation({ scope: "person", worksWhenFull: true })
    .route({
      method: "POST",
      path: "/setup/claim",
      summary: "Become the operator of a fresh installation with its setup code, once",
      tags: ["Setup"],
    })
    .input(setupCode)
    .output(z.strictObject({ user: signedInUser })),
};
