import { AppError } from "@turnpike/domain/errors/app-error";
import * as oauth from "oauth4webapi";
import { type Clock, systemClock } from "#platform/clock.ts";
import { type GuardedOutbound, GuardedOutboundError } from "#platform/guarded-outbound.ts";
import type { Logger } from "#platform/logger.ts";
import { createOauthFetch, toClientAuth } from "#platform/oauth-client.ts";

/** A client of a configured provider that must prove itself by a secret. */
export type ConfidentialClient = {
  /** Of the provider in the configuration. */
  id: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
};

export type CodeExchangeDeps = {
  clock: Clock;
  logger: Pick<Logger, "warn">;
  outbound: Pick<GuardedOutbound, "exchange">;
  /** Public address of the console, without a slash at the end. */
  consoleUrl: string;
};

/** What the token endpoint answered: tokens, or an error in OAuth's words. */
export type TokenAnswer = { status: 200; tokens: object } | { status: 400; error: string };

/** Trades codes and refresh tokens for the console's page, which must not know the client's secret. */
export interface CodeExchange {
  /** The provider's metadata, in which tokens come from us. @throws {AppError} `IDENTITY_PROVIDER_UNAVAILABLE`. */
  describe(): Promise<object>;
  /** @param verifier - Of PKCE; the nonce of the ID token must be made of it. @throws {AppError} As above. */
  redeemCode(input: { code: string; verifier: string }): Promise<TokenAnswer>;
  /** @throws {AppError} As above. */
  refresh(refreshToken: string): Promise<TokenAnswer>;
  /** Makes a token worthless, where the provider can. @throws {AppError} As above. */
  revoke(token: string): Promise<void>;
}

/** How old a provider's metadata may be. */
const FRESH_MS = 10 * 60_000;
/** How far the provider's clock may be from ours, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 60;
const MILLISECONDS = 1_000;

/** The nonce of an attempt: it tells nothing about the verifier of which it is made. */
export function toNonce(verifier: string): Promise<string> {
  return oauth.calculatePKCECodeChallenge(`nonce.${verifier}`);
}

function unavailable(cause: unknown): AppError {
  return new AppError({
    code: "IDENTITY_PROVIDER_UNAVAILABLE",
    publicMessage: "The identity provider cannot be reached. Try again in a moment.",
    headers: { "retry-after": "5" },
    cause,
  });
}

export function createCodeExchange(
  { clock, logger, outbound, consoleUrl }: CodeExchangeDeps,
  { id, issuer, clientId, clientSecret }: ConfidentialClient,
): CodeExchange {
  const own = `${consoleUrl}/auth/providers/${id}`;
  const options = {
    [oauth.customFetch]: createOauthFetch(outbound),
    // The configuration accepts such an issuer on this machine only.
    [oauth.allowInsecureRequests]: new URL(issuer).protocol === "http:",
  };
  let known: { server: oauth.AuthorizationServer; atMs: number } | undefined;
  let asking: Promise<oauth.AuthorizationServer> | undefined;

  const toClient = (): oauth.Client => ({
    client_id: clientId,
    // The library reads the system's clock.
    [oauth.clockSkew]: Math.round(
      (clock.now().getTime() - systemClock.now().getTime()) / MILLISECONDS,
    ),
    [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
  });

  async function discover(): Promise<oauth.AuthorizationServer> {
    const address = new URL(issuer);
    const response = await oauth.discoveryRequest(address, options);
    const server = await oauth.processDiscoveryResponse(address, response);
    known = { server, atMs: clock.monotonicMs() };
    return server;
  }

  /** Concurrent callers share one request. */
  async function findServer(): Promise<oauth.AuthorizationServer> {
    if (known !== undefined && clock.monotonicMs() - known.atMs < FRESH_MS) {
      return known.server;
    }
    asking ??= discover().finally(() => {
      asking = undefined;
    });
    try {
      return await asking;
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** What the provider refuses is an answer; what it does not answer is a failure. */
  async function toAnswer(work: () => Promise<object>): Promise<TokenAnswer> {
    try {
      return { status: 200, tokens: await work() };
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError) {
        if (error.error === "invalid_client" || error.error === "unauthorized_client") {
          logger.warn({ provider: id, error: error.error }, "a provider refuses our client");
        }
        return { status: 400, error: error.error };
      }
      if (
        error instanceof oauth.OperationProcessingError ||
        error instanceof oauth.WWWAuthenticateChallengeError
      ) {
        logger.warn({ provider: id, reason: error.message }, "a provider's tokens are refused");
        return { status: 400, error: "invalid_grant" };
      }
      if (error instanceof GuardedOutboundError) {
        throw unavailable(error);
      }
      throw error;
    }
  }

  return {
    describe: async () => {
      const server = await findServer();
      return {
        ...server,
        token_endpoint: `${own}/token`,
        ...(server.revocation_endpoint === undefined
          ? {}
          : { revocation_endpoint: `${own}/revocation` }),
      };
    },

    redeemCode: async ({ code, verifier }) => {
      const server = await findServer();
      return await toAnswer(async () => {
        const client = toClient();
        // The page that asked has checked the state, and the issuer of the answer.
        const callback = new URLSearchParams({ code, iss: server.issuer });
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          toClientAuth(server, clientSecret),
          oauth.validateAuthResponse(server, client, callback, oauth.expectNoState),
          `${consoleUrl}/login`,
          verifier,
          options,
        );
        return await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: await toNonce(verifier),
          requireIdToken: true,
        });
      });
    },

    refresh: async (refreshToken) => {
      const server = await findServer();
      return await toAnswer(async () => {
        const client = toClient();
        const auth = toClientAuth(server, clientSecret);
        const response = await oauth.refreshTokenGrantRequest(
          server,
          client,
          auth,
          refreshToken,
          options,
        );
        return await oauth.processRefreshTokenResponse(server, client, response);
      });
    },

    revoke: async (token) => {
      const server = await findServer();
      if (server.revocation_endpoint === undefined) {
        return;
      }
      await toAnswer(async () => {
        const auth = toClientAuth(server, clientSecret);
        const client = toClient();
        const response = await oauth.revocationRequest(server, client, auth, token, options);
        await oauth.processRevocationResponse(response);
        return {};
      });
    },
  };
}
