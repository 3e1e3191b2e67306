import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { operation } from "./operation.ts";
import { instant, tenantId } from "./shapes.ts";

/** A second credential lets a directory change over without a gap. */
export const SCIM_TOKENS_MAX = 2;
/** How many of the latest changes and refusals are kept for the owners. */
export const SCIM_REQUESTS_MAX = 50;
/** The most people that one directory may describe. */
export const SCIM_USERS_MAX = 10_000;

const scimTokenId = z
  .string()
  .refine((value) => isId("scimToken", value), {
    error: "Not the id of a directory's token; it looks like sct_0199f3b0c1d27a4e8f60112233445566.",
  })
  .meta({ examples: ["sct_0199f3b0c1d27a4e8f60112233445566"] });

export const scimToken = z.strictObject({
  scimTokenId,
  /** Prefix and first characters: safe to show. */
  start: z.string(),
  createdAt: instant,
  /** To the minute; null: never. */
  lastUsedAt: instant.nullable(),
});
export type ScimToken = z.infer<typeof scimToken>;

/** The only answer that holds the token. It is stored as a hash and cannot be shown again. */
export const scimTokenWithSecret = z.strictObject({ ...scimToken.shape, secret: z.string() });
export type ScimTokenWithSecret = z.infer<typeof scimTokenWithSecret>;

export const scim = z.strictObject({
  tenantId,
  /** Where the directory sends people and groups. */
  baseUrl: z.string(),
  tokens: z.array(scimToken).max(SCIM_TOKENS_MAX),
  people: z.strictObject({
    /** Members now. */
    members: z.number().int(),
    /** Become members when they first sign in. */
    waiting: z.number().int(),
    /** Those whose access the directory ended. */
    inactive: z.number().int(),
  }),
  /** Groups of the directory, each with the role that it gives. */
  groups: z.array(
    z.strictObject({ name: z.string(), role: z.string(), members: z.number().int() }),
  ),
  /** The latest changes and refusals, newest first. */
  requests: z.array(
    z.strictObject({
      requestId: z.string(),
      at: instant,
      /** Such as `POST /Users`. */
      operation: z.string(),
      /** Whom it was about, if that was understood. */
      subject: z.string().nullable(),
      status: z.number().int(),
      /** Why it was refused; null for a change. */
      detail: z.string().nullable(),
    }),
  ),
});
export type Scim = z.infer<typeof scim>;

const tags = ["Single sign-on"];
const path = "/tenants/{tenantId}/scim";

/** How a tenant's own directory keeps its members: by SCIM 2.0, at `/scim/v2`, with a token of the tenant. */
export const scimContract = {
  get: operation({ scope: "sso:read" })
    .route({ method: "GET", path, summary: "Get how a directory keeps a tenant's members", tags })
    .input(z.strictObject({ tenantId }))
    .output(scim),
  createToken: operation({ scope: "sso:write" })
    .route({
      method: "POST",
      path: `${path}/tokens`,
      successStatus: 201,
      summary: "Make a token for a tenant's directory; only this answer shows it",
      description: `A tenant has at most ${String(SCIM_TOKENS_MAX)}: make the second one, give it to the directory, and revoke the first.`,
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(scimTokenWithSecret),
  revokeToken: operation({ scope: "sso:write", worksWhenFull: true })
    .route({
      method: "DELETE",
      path: `${path}/tokens/{scimTokenId}`,
      successStatus: 204,
      summary: "Revoke a token of a tenant's directory, at once",
      description: "Members stay as the directory left them.",
      tags,
    })
    .input(z.strictObject({ tenantId, scimTokenId }))
    .output(z.void()),
};
