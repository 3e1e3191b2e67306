import * as oauth from "oauth4webapi";
import { type Clock, systemClock } from "#platform/clock.ts";
import { type GuardedOutbound, GuardedOutboundError } from "#platform/guarded-outbound.ts";
import { createOauthFetch, toClientAuth } from "#platform/oauth-client.ts";
import { SsoError, type SsoPerson, toPerson } from "./sso-error.ts";

/** How far the provider's clock may be from ours, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 60;
const MILLISECONDS = 1_000;

export type OidcDeps = { clock: Pick<Clock, "now">; providers: Pick<GuardedOutbound, "exchange"> };

export type OidcSettings = {
  issuer: string;
  clientId: string;
  /** `undefined` for a public client. */
  clientSecret: string | undefined;
};

/** The secrets of one attempt. */
export type OidcAttempt = { state: string; nonce: string; codeVerifier: string };

/** Speaks OpenID Connect with a tenant's provider: authorization code with PKCE, state and nonce, by the server. */
export interface OidcProtocol {
  /** Checks that the issuer can be asked and offers what is needed. @throws {SsoError} `sso_unavailable`, `sso_failed`. */
  check(settings: OidcSettings): Promise<void>;
  /** @returns The provider's address to which the browser goes. @throws {SsoError} */
  begin(
    settings: OidcSettings,
    attempt: OidcAttempt,
    input: { redirectUri: string; loginHint: string | undefined },
  ): Promise<URL>;
  /** @param callback - The address at which the browser came back. @throws {SsoError} */
  finish(
    settings: OidcSettings,
    attempt: OidcAttempt,
    input: { redirectUri: string; callback: URL },
  ): Promise<SsoPerson>;
}

/** What a failure of the library or of the network means for the person. */
function toSsoError(error: unknown): SsoError {
  if (error instanceof SsoError) {
    return error;
  }
  if (error instanceof GuardedOutboundError) {
    return new SsoError("sso_unavailable", `The provider cannot be reached: ${error.message}`, {
      cause: error,
    });
  }
  if (error instanceof oauth.AuthorizationResponseError) {
    const code = error.error === "access_denied" ? "sso_denied" : "sso_failed";
    return new SsoError(code, `The provider refused: ${error.error}.`, { cause: error });
  }
  if (error instanceof oauth.ResponseBodyError) {
    return new SsoError("sso_failed", `The provider refused the code: ${error.error}.`, {
      cause: error,
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new SsoError("sso_failed", `The provider's answer is not accepted: ${message}.`, {
    cause: error,
  });
}

async function orSsoError<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toSsoError(error);
  }
}

export function createOidcProtocol({ clock, providers }: OidcDeps): OidcProtocol {
  const send = createOauthFetch(providers);

  const optionsOf = ({ issuer }: OidcSettings) => ({
    [oauth.customFetch]: send,
    // The guard decides which plain addresses are called: those that the operator lists.
    [oauth.allowInsecureRequests]: new URL(issuer).protocol === "http:",
  });

  const clientOf = ({ clientId }: OidcSettings): oauth.Client => ({
    client_id: clientId,
    // The library reads the system's clock.
    [oauth.clockSkew]: Math.round(
      (clock.now().getTime() - systemClock.now().getTime()) / MILLISECONDS,
    ),
    [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
  });

  async function discover(settings: OidcSettings): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(settings.issuer);
    const response = await oauth.discoveryRequest(issuer, optionsOf(settings));
    const server = await oauth.processDiscoveryResponse(issuer, response);
    if (server.authorization_endpoint === undefined || server.token_endpoint === undefined) {
      throw new SsoError("sso_failed", "The provider's metadata name no place to sign in.");
    }
    return server;
  }

  return {
    check: async (settings) => {
      await orSsoError(() => discover(settings));
    },

    begin: (settings, attempt, { redirectUri, loginHint }) =>
      orSsoError(async () => {
        const server = await discover(settings);
        const url = new URL(server.authorization_endpoint ?? "");
        const challenge = await oauth.calculatePKCECodeChallenge(attempt.codeVerifier);
        const query = {
          response_type: "code",
          client_id: settings.clientId,
          redirect_uri: redirectUri,
          scope: "openid email profile",
          state: attempt.state,
          nonce: attempt.nonce,
          code_challenge: challenge,
          code_challenge_method: "S256",
          ...(loginHint === undefined ? {} : { login_hint: loginHint }),
        };
        for (const [name, value] of Object.entries(query)) {
          url.searchParams.set(name, value);
        }
        return url;
      }),

    finish: (settings, attempt, { redirectUri, callback }) =>
      orSsoError(async () => {
        const server = await discover(settings);
        const client = clientOf(settings);
        const options = optionsOf(settings);
        const parameters = oauth.validateAuthResponse(server, client, callback, attempt.state);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          toClientAuth(server, settings.clientSecret),
          parameters,
          redirectUri,
          attempt.codeVerifier,
          options,
        );
        const answer = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: attempt.nonce,
          requireIdToken: true,
        });
        await oauth.validateApplicationLevelSignature(server, response, options);
        const claims = oauth.getValidatedIdTokenClaims(answer);
        if (claims?.["email_verified"] === false) {
          throw new SsoError("sso_address", "The provider says that the address is not verified.");
        }
        return toPerson({
          subject: claims?.sub,
          email: claims?.["email"],
          name: claims?.["name"],
          sessionId: claims?.["sid"],
          source: "The ID token",
        });
      }),
  };
}
