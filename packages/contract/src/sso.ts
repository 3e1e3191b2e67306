import { ROLES } from "@turnpike/domain/access/scopes";
import { isEmailDomain } from "@turnpike/domain/text/email-domain";
import { z } from "zod";
import { operation } from "./operation.ts";
import { displayName, instant, plainText, tenantId } from "./shapes.ts";

/** The most domains of one tenant. */
export const SSO_DOMAINS_MAX = 20;
/** The largest SAML metadata document, in characters. */
export const SAML_METADATA_MAX = 200_000;

/** The roles that a member who arrives by single sign-on may begin with; owners are made by owners. */
export const SSO_ROLES = ROLES.filter((role) => role !== "owner");

const webAddress = (example: string) =>
  z
    .url({ protocol: /^https?$/, error: `An address such as ${example}.` })
    .max(1_000)
    .refine((value) => {
      const url = URL.canParse(value) ? new URL(value) : undefined;
      return url === undefined || (url.username === "" && url.password === "" && url.hash === "");
    }, "An address without user, password and fragment.");

export const ssoDomainName = z
  .string()
  .trim()
  .toLowerCase()
  .refine(isEmailDomain, "A domain such as example.com.")
  .meta({ examples: ["example.com"] });

const settings = {
  /** What people read on the button: "Continue with NAME". */
  name: displayName(40),
  /** The role of a person who arrives for the first time, unless an invitation gives another. */
  defaultRole: z.enum(SSO_ROLES as ["admin", "developer", "billing", "viewer"]),
  /** False: kept, but no one can sign in by it. */
  enabled: z.boolean(),
  /** True: people with an address of these domains sign in no other way; owners still may, in case the provider fails. */
  required: z.boolean(),
};

const oidcInput = z.strictObject({
  protocol: z.literal("oidc"),
  ...settings,
  /** Exactly as its tokens name it; its metadata are found by `/.well-known/openid-configuration`. */
  issuer: webAddress("https://login.example.com"),
  clientId: plainText(255).trim().min(1),
  /** Left out: the present one stays, or the client is a public one. */
  clientSecret: plainText(1_000).min(1).optional(),
});

const samlInput = z.strictObject({
  protocol: z.literal("saml"),
  ...settings,
  /** The provider's metadata document (`EntityDescriptor`). Left out: what was read before stays. */
  metadata: plainText(SAML_METADATA_MAX).min(1).optional(),
});

export const ssoConnectionInput = z.discriminatedUnion("protocol", [oidcInput, samlInput]);
export type SsoConnectionInput = z.infer<typeof ssoConnectionInput>;

const connectionReply = {
  ...settings,
  createdAt: instant,
  updatedAt: instant,
  /** When a person last signed in by it; null: never. */
  lastUsedAt: instant.nullable(),
  /** The newest sign-in that failed since the last one that did not. */
  lastFailure: z.strictObject({ at: instant, reason: z.string() }).nullable(),
};

export const ssoConnection = z.discriminatedUnion("protocol", [
  z.strictObject({
    protocol: z.literal("oidc"),
    ...connectionReply,
    issuer: z.string(),
    clientId: z.string(),
    hasClientSecret: z.boolean(),
  }),
  z.strictObject({
    protocol: z.literal("saml"),
    ...connectionReply,
    entityId: z.string(),
    signInUrl: z.string(),
    /** The certificates whose keys may sign its assertions. */
    certificates: z.array(
      z.strictObject({ sha256: z.string(), notAfter: instant, subject: z.string() }),
    ),
  }),
]);
export type SsoConnection = z.infer<typeof ssoConnection>;

export const ssoDomain = z.strictObject({
  domain: z.string(),
  /** The TXT record that proves the domain. */
  record: z.strictObject({ name: z.string(), value: z.string() }),
  verifiedAt: instant.nullable(),
  createdAt: instant,
});
export type SsoDomain = z.infer<typeof ssoDomain>;

export const sso = z.strictObject({
  tenantId,
  /** Null: none was set up. */
  connection: ssoConnection.nullable(),
  domains: z.array(ssoDomain),
  /** What the customer's identity provider asks for. */
  service: z.strictObject({
    /** OpenID Connect: the redirect address. */
    redirectUri: z.string(),
    /** SAML: where assertions are posted, and how this service names itself. */
    acsUrl: z.string(),
    entityId: z.string(),
    metadataUrl: z.string(),
    /** Where an OpenID Connect provider says that someone signed out there (Back-Channel Logout 1.0). */
    logoutUrl: z.string(),
    /** A link that begins a sign-in, for a portal of applications. */
    signInUrl: z.string(),
  }),
});
export type Sso = z.infer<typeof sso>;

const tags = ["Single sign-on"];
const path = "/tenants/{tenantId}/sso";

/** A tenant's own single sign-on: its people sign in at its identity provider, over OpenID Connect or SAML 2.0. */
export const ssoContract = {
  get: operation({ scope: "sso:read" })
    .route({ method: "GET", path, summary: "Get the single sign-on of a tenant", tags })
    .input(z.strictObject({ tenantId }))
    .output(sso),
  put: operation({ scope: "sso:write" })
    .route({
      method: "PUT",
      path: `${path}/connection`,
      summary: "Set up or change how a tenant's people sign in",
      description:
        "Reads the metadata of the identity provider first, and stores nothing when it cannot be used.",
      tags,
    })
    .input(z.strictObject({ tenantId, connection: ssoConnectionInput }))
    .output(sso),
  remove: operation({ scope: "sso:write", worksWhenFull: true })
    .route({
      method: "DELETE",
      path: `${path}/connection`,
      summary: "Remove the identity provider of a tenant",
      description: "Members stay. Those without a password choose one by “Forgot your password?”.",
      tags,
    })
    .input(z.strictObject({ tenantId }))
    .output(sso),
  addDomain: operation({ scope: "sso:write" })
    .route({
      method: "POST",
      path: `${path}/domains`,
      successStatus: 201,
      summary: "Claim a domain, to be proven by a TXT record",
      tags,
    })
    .input(z.strictObject({ tenantId, domain: ssoDomainName }))
    .output(ssoDomain),
  verifyDomain: operation({ scope: "sso:write" })
    .route({
      method: "POST",
      path: `${path}/domains/{domain}/verify`,
      summary: "Look for the TXT record of a domain",
      tags,
    })
    .input(z.strictObject({ tenantId, domain: ssoDomainName }))
    .output(ssoDomain),
  removeDomain: operation({ scope: "sso:write", worksWhenFull: true })
    .route({
      method: "DELETE",
      path: `${path}/domains/{domain}`,
      successStatus: 204,
      summary: "Give up a domain",
      tags,
    })
    .input(z.strictObject({ tenantId, domain: ssoDomainName }))
    .output(z.void()),
};
