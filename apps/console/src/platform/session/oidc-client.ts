import { t } from "@lingui/core/macro";
import * as oauth from "oauth4webapi";
import type { IdentityProvider } from "../client-config.ts";
import type { ReturnWay } from "./return-channel.ts";
import { SignInError } from "./session.ts";

/** A provider answers within this time, or counts as unreachable. */
const TIMEOUT_MS = 15_000;
/** A sign-in at a provider that is older is asked for anew, in seconds: a year, as at the built-in one. */
const SIGN_IN_AGE_MAX_SECONDS = "31536000";
/** How far the provider's clock may be from the corrected one, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** What has to be remembered between asking for a code and getting it. Useless to anybody without the code. */
export type SignInAttempt = { providerId: string; state: string; nonce: string; verifier: string };

/** How a person is asked. */
export type SignInRequest = {
  /** OpenID's word, such as `login` or `create`. */
  prompt?: string;
  /** Whom the provider should ask for. */
  loginHint?: string | undefined;
  /** The last ID token of the person; some providers answer `prompt=none` only with it. */
  idTokenHint?: string | undefined;
  /** Where the provider's page is shown; left out: in place of ours. */
  way?: ReturnWay;
  /** True: the provider asks for the password again, also where it knows the person. */
  isAnew?: boolean;
};

/** What a provider hands out. */
export type TokenSet = {
  idToken: string;
  claims: oauth.IDToken;
  /** Undefined when the provider gives none: then the person signs in again when the ID token runs out. */
  refreshToken: string | undefined;
  /** How long the ID token is good for from now on, in milliseconds, independent of this device's clock. */
  lifetimeMs: number;
};

/** Speaks OpenID Connect with one provider: authorization code with PKCE, state and nonce. */
export interface OidcClient {
  /** Prepares an attempt. */
  begin(request?: SignInRequest): Promise<{ url: URL; attempt: SignInAttempt }>;
  /** @throws {SignInError} When the answer is a refusal or belongs to another attempt. */
  finish(callback: URL, attempt: SignInAttempt): Promise<TokenSet>;
  refresh(refreshToken: string): Promise<TokenSet>;
  /** Makes a refresh token worthless. */
  revoke(refreshToken: string): Promise<void>;
  /**
   * Where the provider ends its own session (OpenID Connect RP-Initiated Logout 1.0).
   *
   * @param idToken - Of whom to sign out, also when it ran out; undefined when there is none at hand.
   * @returns Undefined when the provider has no such place, or the operator wants its session to go on.
   */
  findSignOutUrl(idToken: string | undefined, state: string): Promise<URL | undefined>;
}

/**
 * Makes the client of one provider.
 *
 * @param redirectUri - Where the provider sends people back to: the console's `/login`.
 */
export function createOidcClient(provider: IdentityProvider, redirectUri: string): OidcClient {
  const client: oauth.Client = { client_id: provider.clientId };
  // An operator who serves the page over http has chosen to; from an https page it stays forbidden.
  const isInsecureAllowed = redirectUri.startsWith("http:");
  const request = () => ({
    [oauth.allowInsecureRequests]: isInsecureAllowed,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  let server: Promise<oauth.AuthorizationServer> | undefined;

  function findServer(): Promise<oauth.AuthorizationServer> {
    server ??= discover().catch((error: unknown) => {
      server = undefined;
      throw error;
    });
    return server;
  }

  async function discover(): Promise<oauth.AuthorizationServer> {
    const { issuer } = provider;
    if (provider.kind === "builtin") {
      // Its addresses are part of the product: asking for them would only delay every start by one answer.
      return {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        // Without it the library expects RS256.
        id_token_signing_alg_values_supported: ["ES256"],
        revocation_endpoint: `${issuer}/token/revocation`,
        authorization_response_iss_parameter_supported: true,
        scopes_supported: ["openid", "offline_access"],
      };
    }
    const url = new URL(issuer);
    if (provider.tokensBy === "server") {
      // The server's document leads to the server for tokens, and to the provider for everything else.
      const own = new URL(`/auth/providers/${provider.id}/configuration`, redirectUri);
      return await oauth.processDiscoveryResponse(url, await fetch(own.href, request()));
    }
    return await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, request()));
  }

  /** Reads the answer by the provider's clock. One that keeps its time to itself is read by this device's clock, then by our server's. */
  async function processCorrected(response: Response, process: ProcessTokens) {
    const correct = (skewSeconds: number): oauth.Client => ({
      ...client,
      [oauth.clockSkew]: skewSeconds,
      [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
    });
    const skewSeconds = measureSkewSeconds(response);
    const again = response.clone();
    try {
      return await process(correct(skewSeconds ?? 0), response);
    } catch (error) {
      const isOfOtherTime =
        error instanceof oauth.OperationProcessingError && error.code === oauth.JWT_TIMESTAMP_CHECK;
      if (!isOfOtherTime || skewSeconds !== undefined) {
        throw error;
      }
      const own = await fetch(new URL("/config.json", redirectUri).href, request()).catch(
        () => undefined,
      );
      const ownSkewSeconds = own && measureSkewSeconds(own);
      if (ownSkewSeconds === undefined) {
        throw error;
      }
      return await process(correct(ownSkewSeconds), again);
    }
  }

  async function toTokenSet(response: Response, process: ProcessTokens): Promise<TokenSet> {
    const answer = await processCorrected(response, process);
    const claims = oauth.getValidatedIdTokenClaims(answer);
    if (claims === undefined || answer.id_token === undefined) {
      throw new SignInError("no_id_token", t`The provider did not say who you are.`);
    }
    return {
      idToken: answer.id_token,
      claims,
      refreshToken: answer.refresh_token,
      lifetimeMs: (claims.exp - claims.iat) * 1000,
    };
  }

  return {
    begin: async ({ prompt, loginHint, idTokenHint, way, isAnew = false } = {}) => {
      assertSecureContext();
      if (
        (provider.kind === "builtin" || way !== undefined) &&
        globalThis.location.origin !== new URL(redirectUri).origin
      ) {
        throw new SignInError(
          "other_address",
          t`You can sign in only at ${new URL(redirectUri).origin}. Open the console there.`,
        );
      }
      const as = await findServer();
      if (as.authorization_endpoint === undefined) {
        throw new SignInError("no_authorization_endpoint", t`This provider cannot sign people in.`);
      }
      const verifier = oauth.generateRandomCodeVerifier();
      const attempt = {
        providerId: provider.id,
        state: (way === undefined ? "" : `${way}.`) + oauth.generateRandomState(),
        // The server gives tokens only to who knows what the nonce was made of: also where a provider ignores PKCE.
        nonce:
          provider.tokensBy === "server"
            ? await oauth.calculatePKCECodeChallenge(`nonce.${verifier}`)
            : oauth.generateRandomNonce(),
        verifier,
      };
      const url = new URL(as.authorization_endpoint);
      const parameters = {
        ...provider.parameters,
        client_id: provider.clientId,
        response_type: "code",
        redirect_uri: redirectUri,
        scope: provider.scopes?.join(" ") ?? toScope(as),
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: "S256",
        // Every ID token then says when the person signed in (OpenID Connect Core 1.0, section 3.1.2.1).
        ...(provider.kind === "builtin" ? {} : { max_age: isAnew ? "0" : SIGN_IN_AGE_MAX_SECONDS }),
        ...(prompt === undefined ? {} : { prompt }),
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
        ...(idTokenHint === undefined ? {} : { id_token_hint: idTokenHint }),
      };
      for (const [name, value] of Object.entries(parameters)) {
        url.searchParams.set(name, value);
      }
      return { url, attempt };
    },

    finish: async (callback, attempt) => {
      const as = await findServer();
      const parameters = oauth.validateAuthResponse(as, client, callback, attempt.state);
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        oauth.None(),
        parameters,
        redirectUri,
        attempt.verifier,
        request(),
      );
      return await toTokenSet(response, (corrected, answer) =>
        oauth.processAuthorizationCodeResponse(as, corrected, answer, {
          expectedNonce: attempt.nonce,
          requireIdToken: true,
        }),
      );
    },

    refresh: async (refreshToken) => {
      const as = await findServer();
      const response = await oauth.refreshTokenGrantRequest(
        as,
        client,
        oauth.None(),
        refreshToken,
        request(),
      );
      const tokens = await toTokenSet(response, (corrected, answer) =>
        oauth.processRefreshTokenResponse(as, corrected, answer),
      );
      // A provider that does not rotate leaves the old one good.
      return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
    },

    revoke: async (refreshToken) => {
      const as = await findServer();
      if (as.revocation_endpoint === undefined) {
        return;
      }
      const response = await oauth.revocationRequest(
        as,
        client,
        oauth.None(),
        refreshToken,
        request(),
      );
      await oauth.processRevocationResponse(response);
    },

    findSignOutUrl: async (idToken, state) => {
      const { end_session_endpoint: endpoint } = await findServer();
      if (endpoint === undefined || provider.endsSession === false) {
        return undefined;
      }
      const url = new URL(endpoint);
      const parameters = {
        client_id: provider.clientId,
        post_logout_redirect_uri: redirectUri,
        state,
        ...(idToken === undefined ? {} : { id_token_hint: idToken }),
      };
      for (const [name, value] of Object.entries(parameters)) {
        url.searchParams.set(name, value);
      }
      return url;
    },
  };
}

/** Some providers refuse a scope that they do not know. */
function toScope(as: oauth.AuthorizationServer): string {
  const wishes = ["openid", "profile", "email"];
  return as.scopes_supported?.includes("offline_access") === true
    ? [...wishes, "offline_access"].join(" ")
    : wishes.join(" ");
}

type ProcessTokens = (
  corrected: oauth.Client,
  answer: Response,
) => Promise<oauth.TokenEndpointResponse>;

/** How far a server's clock is ahead of this device's, in seconds; undefined when its answer does not let us see. */
function measureSkewSeconds(response: Response): number | undefined {
  const answeredAtMs = Date.parse(response.headers.get("date") ?? "");
  return Number.isNaN(answeredAtMs) ? undefined : Math.round((answeredAtMs - Date.now()) / 1000);
}

/** Browsers do no cryptography for pages that anybody on the way could have changed. */
function assertSecureContext(): void {
  if (!globalThis.isSecureContext) {
    throw new SignInError(
      "insecure_context",
      t`Signing in needs HTTPS (or localhost). Ask the operator of this service.`,
    );
  }
}
