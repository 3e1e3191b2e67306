import { generateKeyPairSync } from "node:crypto";
import { AGENT_SCOPES } from "@turnpike/contract/agent-grants";
import {
  type Adapter,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from "oidc-provider";
import { createOidcAdapter, embedProvider } from "#modules/identity/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { GuardedOutbound } from "#platform/guarded-outbound.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { renewAgentGrant } from "./agent-grants.store.ts";
import { type ClientRegistry, toApplicationType } from "./client-metadata.ts";
import { endAgentGrantBecause } from "./end-agent-grant.ts";

/** Below the public address of the console. */
export const OAUTH_PATH = "/oauth";

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 24 * 60 * 60;
const TOKEN_SECONDS = 15 * MINUTE_SECONDS;
/** The longest that a person may take to decide. */
export const REQUEST_SECONDS = 10 * MINUTE_SECONDS;
/** An agent that returns within this time need not ask again. */
const IDLE_SECONDS = 30 * DAY_SECONDS;
/** After this time it must ask again, however often it came. */
const GRANT_SECONDS_MAX = 365 * DAY_SECONDS;

const DOCUMENT = { timeoutMs: 2_500, bytesMax: 5 * 1024 };
const DOCUMENT_KEPT_SECONDS = { min: 5 * MINUTE_SECONDS, max: DAY_SECONDS };

/** Why the person is sent to the console instead of back to the program. */
export type RequestError = "expired" | "invalid" | "failed";

export function toRequestErrorAddress(consoleUrl: string, error: RequestError): string {
  return `${consoleUrl}/connect?error=${error}`;
}

export type AuthorizationServerDeps = Pick<
  AppServices,
  "transact" | "clock" | "newId" | "logger"
> & {
  clients: Pick<ClientRegistry, "find">;
  /** Gets descriptions of programs from addresses that anyone may name. */
  documents: Pick<GuardedOutbound, "get">;
  /** True while a grant may give out tokens. */
  isActive(agentGrantId: string): Promise<boolean>;
  /** False while the sender of the present request has caused too many fetches. */
  mayFetch(): Promise<boolean>;
};

/** Cookie names. Over https browsers enforce their prefix: only this host can have set them, over TLS. */
function cookieNames(isSecure: boolean) {
  return {
    session: isSecure ? "__Host-turnpike_connect_session" : "turnpike_connect_session",
    interaction: isSecure ? "__Secure-turnpike_connect" : "turnpike_connect",
    resume: isSecure ? "__Secure-turnpike_connect_resume" : "turnpike_connect_resume",
  };
}

/** Nothing is signed: tokens are looked up, and programs do not learn who the person is. The library demands a key all the same. */
function makeUnusedKey() {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), kty: "EC" };
}

/** A person decides on every request: what they once allowed, or who they were then, decides on nothing. */
function createPolicy() {
  const policy = interactionPolicy.base();
  policy.clear();
  const isUndecided = ({ oidc }: KoaContextWithOIDC) => oidc.result?.consent === undefined;
  policy.add(
    new interactionPolicy.Prompt(
      { name: "consent", requestable: true },
      new interactionPolicy.Check("undecided", "a person decides", "consent_required", isUndecided),
    ),
  );
  return policy;
}

function toRequestError(error: Error): RequestError {
  if (error.name === "SessionNotFound") {
    return "expired";
  }
  return "expose" in error && error.expose === true ? "invalid" : "failed";
}

/** The remaining lifetime in seconds of a token that is given out now. */
function refreshSeconds(consentedAt: number | undefined, now: Date): number {
  const nowSeconds = Math.floor(now.getTime() / 1_000);
  const ageSeconds = nowSeconds - (consentedAt ?? nowSeconds);
  return Math.max(1, Math.min(IDLE_SECONDS, GRANT_SECONDS_MAX - ageSeconds));
}

/** True while no person has decided. */
function isNewRequest({ oidc }: Partial<KoaContextWithOIDC>): boolean {
  return oidc?.route === "authorization";
}

/**
 * True for an answer to a program before a person has decided. Any site may register, so a link to us would be a link to it (RFC 9700,
 * section 4.11.2): the person reads here that the request is not valid.
 */
function leadsAway(location: string, { consoleUrl }: { consoleUrl: string }): boolean {
  return location !== "" && !location.startsWith("/") && !location.startsWith(`${consoleUrl}/`);
}

/** Stores what the library stores; programs are read from their ids, and grants follow the tokens that they give out. */
function createAdapter(deps: AuthorizationServerDeps, consoleUrl: string) {
  const createBase = createOidcAdapter(
    deps,
    (interactionId) => `${consoleUrl}${OAUTH_PATH}/authorize/${interactionId}`,
    {
      provider: "agents",
      endGrant: (tx, agentGrantId) =>
        endAgentGrantBecause(deps, tx, { agentGrantId, why: "token_used_twice" }),
    },
  );
  return (model: string): Adapter => {
    const base = createBase(model);
    if (model === "Client") {
      return { ...base, find: (id) => deps.clients.find(id) };
    }
    if (model === "Grant") {
      return {
        ...base,
        async destroy(agentGrantId) {
          const isReuse = Provider.ctx?.oidc.route === "token";
          const why = isReuse ? "token_used_twice" : "given_back";
          await deps.transact.asOperator(
            (tx) => endAgentGrantBecause(deps, tx, { agentGrantId, why }),
            SIGN_INS,
          );
        },
      };
    }
    if (model !== "RefreshToken") {
      return base;
    }
    return {
      ...base,
      async upsert(id, payload, expiresIn = IDLE_SECONDS) {
        const { grantId = "" } = payload;
        const now = deps.clock.now();
        const until = {
          renewed_at: now,
          expires_at: new Date(now.getTime() + expiresIn * 1_000),
        };
        const isThere = await deps.transact.asOperator(
          (tx) => renewAgentGrant(tx, grantId, until),
          SIGN_INS,
        );
        if (!isThere) {
          throw new errors.InvalidGrant("grant not found");
        }
        await base.upsert(id, payload, expiresIn);
      },
    };
  };
}

function configure(
  deps: AuthorizationServerDeps,
  input: { consoleUrl: string; resource: string },
): Configuration {
  const { consoleUrl, resource } = input;
  const isSecure = consoleUrl.startsWith("https:");
  const cookie = { httpOnly: true, sameSite: "lax", secure: isSecure, signed: false } as const;
  return {
    adapter: createAdapter(deps, consoleUrl),
    jwks: { keys: [makeUnusedKey()] },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    clientDefaults: {
      id_token_signed_response_alg: "ES256",
      token_endpoint_auth_method: "none",
    },
    scopes: [],
    claims: {},
    responseTypes: ["code"],
    clientAuthMethods: ["none"],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    acceptQueryParamAccessTokens: false,
    clientBasedCORS: () => false,
    cookies: { names: cookieNames(isSecure), long: cookie, short: cookie },
    routes: { authorization: "/authorize", token: "/token", revocation: "/revoke" },
    // What a program says of itself is put right before it is checked.
    extraClientMetadata: {
      properties: ["turnpike_reading"],
      validator: (_ctx, _name, _value, metadata) => {
        const { redirect_uris: redirectUris } = metadata;
        metadata.application_type = toApplicationType(redirectUris ?? []);
      },
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      clientIdMetadataDocument: {
        enabled: true,
        ack: "draft-02",
        allowFetch: () => deps.mayFetch(),
        cacheDuration: DOCUMENT_KEPT_SECONDS,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, asked) => {
          if (asked !== resource) {
            throw new errors.InvalidTarget();
          }
          return {
            scope: AGENT_SCOPES.join(" "),
            audience: resource,
            accessTokenTTL: TOKEN_SECONDS,
            accessTokenFormat: "opaque",
          };
        },
      },
    },
    fetch: async (url) => {
      const { status, text, cacheControl } = await deps.documents.get(String(url), {
        ...DOCUMENT,
        accept: "application/json",
      });
      const headers = { ...(cacheControl === undefined ? {} : { "cache-control": cacheControl }) };
      return new Response(text, { status, headers });
    },
    interactions: {
      policy: createPolicy(),
      url: (_ctx, interaction) => `${OAUTH_PATH}/requests/${interaction.uid}`,
    },
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : await ctx.oidc.provider.Grant.find(grantId);
    },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    // A program that gives back one token is disconnected.
    revokeGrantPolicy: () => true,
    findAccount: async (_ctx, sub, token) => {
      const grantId = token !== undefined && "grantId" in token ? token.grantId : undefined;
      if (grantId !== undefined && !(await deps.isActive(grantId))) {
        return;
      }
      return { accountId: sub, claims: () => ({ sub }) };
    },
    renderError: (ctx, _out, error) => {
      ctx.status = 303;
      ctx.redirect(toRequestErrorAddress(consoleUrl, toRequestError(error)));
    },
    ttl: {
      AccessToken: TOKEN_SECONDS,
      AuthorizationCode: MINUTE_SECONDS,
      Interaction: REQUEST_SECONDS,
      Session: REQUEST_SECONDS,
      Grant: REQUEST_SECONDS,
      RefreshToken: (_ctx, token) => refreshSeconds(token.authTime ?? token.iiat, deps.clock.now()),
    },
  };
}

/**
 * Creates the authorization server of agents (OAuth 2.1). It knows no password: the person is signed in to the console, by any
 * provider, and decides there.
 *
 * @param input.consoleUrl - The public address, without a slash at the end.
 * @param input.resource - The only address that tokens are made for.
 */
export function createAuthorizationServer(
  deps: AuthorizationServerDeps,
  input: { consoleUrl: string; resource: string },
): Provider {
  const provider = new Provider(`${input.consoleUrl}${OAUTH_PATH}`, configure(deps, input));
  const invalidAddress = toRequestErrorAddress(input.consoleUrl, "invalid");
  embedProvider(provider, {
    logger: deps.logger,
    name: "The authorization server of agents",
    invalidAddress,
    ofReuse: (_ctx, agentGrantId) => ({ agentGrantId }),
  });
  provider.use(async (ctx, next) => {
    // Of the library's other ways to answer, one is a page with a script.
    const { response_mode: mode = "query" } = ctx.query;
    if (mode === "query") {
      await next();
    }
    if (mode !== "query" || (isNewRequest(ctx) && leadsAway(ctx.response.get("location"), input))) {
      ctx.status = 303;
      ctx.redirect(invalidAddress);
    }
  });
  return provider;
}
