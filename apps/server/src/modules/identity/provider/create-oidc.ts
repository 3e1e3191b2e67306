import {
  type Account,
  type Configuration,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from "oidc-provider";
import type { AppServices } from "#platform/app-services.ts";
import type { AccountRow } from "../accounts/accounts.store.ts";
import type { Accounts } from "../accounts/accounts.ts";
import type { SignIns } from "../sign-ins/sign-ins.ts";
import { SIGN_IN_CLAIM } from "../tokens/verify-id-token.ts";
import { embedProvider } from "./embed-provider.ts";
import { createOidcAdapter } from "./oidc-adapter.ts";
import type { SigningKey } from "./sealed-key.ts";
import type { SsoSession } from "./sso-session.ts";

export type OidcDeps = Pick<AppServices, "transact" | "clock" | "logger"> & {
  accounts: Pick<Accounts, "find">;
  signIns: SignIns;
  /** True if a sign-in by these methods is enough for the account. */
  isSufficient(account: AccountRow, methods: readonly string[] | undefined): Promise<boolean>;
};

/** The console is the only client: a public one, without a secret. */
export const CONSOLE_CLIENT_ID = "console";
/** Below the public address of the console. */
export const MOUNT_PATH = "/idp";

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 24 * 60 * 60;
const TOKEN_SECONDS = 15 * MINUTE_SECONDS;
/** The longest that a sign-in may take. */
const ATTEMPT_SECONDS = 30 * MINUTE_SECONDS;
/** A person who returns within this time is still signed in. */
export const SESSION_SECONDS = 30 * DAY_SECONDS;
/** After this time everyone must sign in again, however often they came. */
const SIGN_IN_SECONDS_MAX = 365 * DAY_SECONDS;

/** The errors that the sign-in page explains, as `?error=`. */
export const LOGIN_ERRORS = [
  "sign_in_expired",
  "request_invalid",
  "sign_out_unconfirmed",
  "server_error",
] as const;

export type LoginError = (typeof LOGIN_ERRORS)[number];

export function toLoginErrorAddress(consoleUrl: string, error: LoginError): string {
  return `${consoleUrl}/login?error=${error}`;
}

/** Cookie names. Over https browsers enforce their prefix: only this host can have set them, over TLS. */
export function cookieNames(consoleUrl: string) {
  const isSecure = consoleUrl.startsWith("https:");
  return {
    session: isSecure ? "__Host-turnpike_session" : "turnpike_session",
    interaction: isSecure ? "__Secure-turnpike_interaction" : "turnpike_interaction",
    resume: isSecure ? "__Secure-turnpike_resume" : "turnpike_resume",
  };
}

/** @param signInId - The browser's sign-in, which its tokens name. */
function toAccount(row: AccountRow, signInId: string | undefined): Account {
  return {
    accountId: row.account_id,
    claims: () => ({
      sub: row.account_id,
      ...(signInId === undefined ? {} : { [SIGN_IN_CLAIM]: signInId }),
      email: row.email,
      email_verified: row.email_verified,
      ...(row.name === null ? {} : { name: row.name }),
    }),
  };
}

/**
 * A client may ask for registration. There is no consent to ask for, because the console is ours. A session that lacks a second
 * factor which its account needs now is none: also `prompt=none` gets no code from it.
 */
function createPolicy(deps: OidcDeps) {
  const policy = interactionPolicy.base();
  policy.remove("consent");
  policy.get("login")?.checks.add(
    new interactionPolicy.Check(
      "second_factor",
      "The account needs a second factor",
      "login_required",
      async (ctx) => {
        const { session } = ctx.oidc;
        if (session?.accountId === undefined) {
          return interactionPolicy.Check.NO_NEED_TO_PROMPT;
        }
        const row = await deps.accounts.find(session.accountId);
        const isEnough = row !== undefined && (await deps.isSufficient(row, session.amr));
        return isEnough
          ? interactionPolicy.Check.NO_NEED_TO_PROMPT
          : interactionPolicy.Check.REQUEST_PROMPT;
      },
    ),
  );
  policy.add(new interactionPolicy.Prompt({ name: "create", requestable: true }), 0);
  return policy;
}

/** By whose single sign-on the person has just come; null: by none. */
function toSsoSession({ via }: { [key: string]: unknown }): SsoSession | null {
  return (via as SsoSession | undefined) ?? null;
}

/** The session's grant for the console, created if missing, and noted as a sign-in of its person. */
async function ensureGrant(deps: Pick<OidcDeps, "clock" | "signIns">, ctx: KoaContextWithOIDC) {
  const { client, session, provider } = ctx.oidc;
  if (client === undefined || session?.accountId === undefined) {
    return;
  }
  const { accountId } = session;
  async function note(grantId: string): Promise<void> {
    const nowMs = deps.clock.now().getTime();
    await deps.signIns.note({
      accountId,
      grantId,
      userAgent: ctx.get("user-agent"),
      ...(ctx.oidc.result?.login === undefined ? {} : { via: toSsoSession(ctx.oidc.result) }),
      provenAt: new Date((session?.loginTs ?? Math.floor(nowMs / 1_000)) * 1_000),
      expiresAt: new Date(nowMs + SESSION_SECONDS * 1_000),
    });
  }
  const grantId = session.grantIdFor(client.clientId);
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  if (grantId !== undefined && known !== undefined && known.accountId === accountId) {
    await note(grantId);
    return known;
  }
  const grant = new provider.Grant({ clientId: client.clientId, accountId });
  grant.addOIDCScope("openid email profile");
  await note(await grant.save());
  return grant;
}

function toLoginError(error: Error): LoginError {
  if (error.name === "SessionNotFound") {
    return "sign_in_expired";
  }
  const isExpected = "expose" in error && error.expose === true;
  return isExpected ? "request_invalid" : "server_error";
}

function toMethods(token: object): readonly string[] | undefined {
  return "amr" in token && Array.isArray(token.amr) ? token.amr : undefined;
}

/** The remaining lifetime in seconds of something that is used now: until it is idle for too long, or its sign-in is too old. */
function lifetimeOf(signedInAt: number | undefined, now: Date): number {
  const nowSeconds = Math.floor(now.getTime() / 1_000);
  const ageSeconds = nowSeconds - (signedInAt ?? nowSeconds);
  return Math.max(1, Math.min(SESSION_SECONDS, SIGN_IN_SECONDS_MAX - ageSeconds));
}

function configure(
  deps: OidcDeps,
  input: { consoleUrl: string; keys: readonly SigningKey[] },
): Configuration {
  const { consoleUrl } = input;
  const isSecure = consoleUrl.startsWith("https:");
  const cookie = { httpOnly: true, sameSite: "lax", secure: isSecure, signed: false } as const;
  return {
    adapter: createOidcAdapter(
      deps,
      (interactionId) => `${consoleUrl}${MOUNT_PATH}/auth/${interactionId}`,
    ),
    clients: [
      {
        client_id: CONSOLE_CLIENT_ID,
        application_type: "web",
        token_endpoint_auth_method: "none",
        redirect_uris: [`${consoleUrl}/login`],
        post_logout_redirect_uris: [`${consoleUrl}/`],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        response_modes: ["query"],
        id_token_signed_response_alg: "ES256",
        require_auth_time: true,
      },
    ],
    jwks: { keys: input.keys.map((key) => key.privateJwk) },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    scopes: ["openid", "email", "profile", "offline_access"],
    claims: {
      openid: ["sub", SIGN_IN_CLAIM],
      email: ["email", "email_verified"],
      profile: ["name"],
    },
    // The console reads the person's claims from the ID token alone.
    conformIdTokenClaims: false,
    responseTypes: ["code"],
    clientAuthMethods: ["none"],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    acceptQueryParamAccessTokens: false,
    clientBasedCORS: () => false,
    cookies: { names: cookieNames(consoleUrl), long: cookie, short: cookie },
    discovery: { prompt_values_supported: ["none", "login", "create"] },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      rpInitiatedLogout: { enabled: true },
      userinfo: { enabled: true },
    },
    interactions: {
      policy: createPolicy(deps),
      url: (_ctx, interaction) => `${MOUNT_PATH}/interaction/${interaction.uid}`,
    },
    loadExistingGrant: (ctx) => ensureGrant(deps, ctx),
    issueRefreshToken: () => true,
    // Tokens end with their grant, which a sign-out revokes and which lives as long as its newest refresh token.
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    findAccount: async (_ctx, sub, token) => {
      const row = await deps.accounts.find(sub);
      if (row === undefined) {
        return;
      }
      const authTime =
        token !== undefined && "authTime" in token && typeof token.authTime === "number"
          ? token.authTime
          : undefined;
      const grantId =
        token !== undefined && "grantId" in token && typeof token.grantId === "string"
          ? token.grantId
          : undefined;
      const signIn = grantId === undefined ? undefined : await deps.signIns.findByGrant(grantId);
      const toSeconds = (at: Date) => Math.floor(at.getTime() / 1_000);
      // A sign-in that was in progress while the password changed must not outlive the change; the one that changed it does.
      const provenAt = Math.max(
        authTime ?? 0,
        signIn === undefined ? 0 : toSeconds(signIn.proven_at),
      );
      const isOutlived = authTime !== undefined && provenAt < toSeconds(row.password_changed_at);
      // Nor must one that was in progress while the account got a second factor, or one from before a factor was required.
      const isOfSignIn = token?.kind === "AuthorizationCode" || token?.kind === "RefreshToken";
      const isLacking = isOfSignIn && !(await deps.isSufficient(row, toMethods(token)));
      return isOutlived || isLacking ? undefined : toAccount(row, signIn?.sign_in_id);
    },
    renderError: (ctx, _out, error) => {
      ctx.status = 303;
      ctx.redirect(toLoginErrorAddress(consoleUrl, toLoginError(error)));
    },
    ttl: {
      AccessToken: TOKEN_SECONDS,
      AuthorizationCode: MINUTE_SECONDS,
      IdToken: TOKEN_SECONDS,
      Interaction: ATTEMPT_SECONDS,
      // Sessions without a person can be created endlessly by anyone.
      Session: (_ctx, session) =>
        session.accountId === undefined
          ? ATTEMPT_SECONDS
          : lifetimeOf(session.loginTs, deps.clock.now()),
      Grant: SESSION_SECONDS,
      RefreshToken: (_ctx, token) => lifetimeOf(token.authTime ?? token.iiat, deps.clock.now()),
    },
  };
}

/**
 * Creates the OpenID provider for a set of keys. Another set needs another provider, which is cheap: all state is in the database.
 *
 * @param input.consoleUrl - The public address, without a slash at the end. Issuer, links and cookies follow from it, never from a
 * request.
 */
export function createOidc(
  deps: OidcDeps,
  input: { consoleUrl: string; keys: readonly SigningKey[] },
): Provider {
  const provider = new Provider(`${input.consoleUrl}${MOUNT_PATH}`, configure(deps, input));
  embedProvider(provider, {
    logger: deps.logger,
    name: "The OpenID provider",
    invalidAddress: toLoginErrorAddress(input.consoleUrl, "request_invalid"),
    ofReuse: (ctx) => ({ accountId: ctx.oidc.entities.Account?.accountId }),
    onAnswer: (ctx) => {
      // The console shares this origin, and no other page needs to read anything here.
      ctx.remove("access-control-allow-origin");
      if (ctx.path.endsWith("/openid-configuration") && typeof ctx.body === "object") {
        ctx.body = { ...ctx.body, response_modes_supported: ["query"] };
      }
    },
  });
  return provider;
}
