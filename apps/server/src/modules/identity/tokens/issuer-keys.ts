import { AppError } from "@turnpike/domain/errors/app-error";
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from "jose";
import { z } from "zod";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { Outbound, OutboundLimits } from "#platform/outbound.ts";

/**
 * Finds the public key that a token names, of the type that its algorithm requires.
 *
 * @throws {errors.JWKSNoMatchingKey} and similar errors if there is none; {@link AppError} `IDENTITY_PROVIDER_UNAVAILABLE`.
 */
export type KeyFinder = (
  ...input: Parameters<JWTVerifyGetKey>
) => Promise<Awaited<ReturnType<ReturnType<typeof createLocalJWKSet>>>>;

export type IssuerKeysDeps = {
  outbound: Pick<Outbound, "getJson">;
  clock: Pick<Clock, "monotonicMs">;
  logger: Pick<Logger, "warn">;
};

/** Where the keys of an issuer are: at an address that is known, or where its discovery document says. */
export type KeySource = { issuer: string; keysUrl?: string };

const LIMITS: OutboundLimits = { timeoutMs: 5_000, bytesMax: 256 * 1024 };
const KEYS_MAX = 100;
/** How old keys may be before they are fetched again in the background. */
const FRESH_MS = 10 * 60_000;
/** The shortest time between two fetches caused by unknown keys or failures. */
const COOLDOWN_MS = 30_000;

const discoveryDocument = z.object({ issuer: z.string(), jwks_uri: z.url() });
const keySet = z.object({
  keys: z.array(z.looseObject({ kty: z.string() })).max(KEYS_MAX),
});

function unavailable(cause: unknown): AppError {
  return new AppError({
    code: "IDENTITY_PROVIDER_UNAVAILABLE",
    publicMessage: "The identity provider cannot be reached. Try again in a moment.",
    headers: { "retry-after": "5" },
    cause,
  });
}

async function discoverKeys(outbound: Pick<Outbound, "getJson">, issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const discovered = discoveryDocument.parse(await outbound.getJson(address, LIMITS));
  if (discovered.issuer !== issuer) {
    throw new Error(`The issuer at ${issuer} names itself differently.`);
  }
  // An external provider must not point at services of this machine.
  if (issuer.startsWith("https:") && !discovered.jwks_uri.startsWith("https:")) {
    throw new Error(`The issuer at ${issuer} publishes its keys without TLS.`);
  }
  return discovered.jwks_uri;
}

async function fetchKeys(
  outbound: Pick<Outbound, "getJson">,
  { issuer, keysUrl }: KeySource,
): Promise<KeyFinder> {
  const address = keysUrl ?? (await discoverKeys(outbound, issuer));
  const { keys } = keySet.parse(await outbound.getJson(address, LIMITS));
  return createLocalJWKSet({ keys });
}

/**
 * Caches the keys of an external issuer. A token with an unknown key causes a new fetch, at
 * most once in half a minute: so a rotation is noticed at once, and forged tokens cause no flood. While the issuer is down, the known
 * keys stay valid.
 */
export function createIssuerKeys(deps: IssuerKeysDeps, source: KeySource): KeyFinder {
  const { clock, outbound, logger } = deps;
  let known: { find: KeyFinder; fetchedAtMs: number } | undefined;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let lastFailure: unknown;
  let fetching: Promise<void> | undefined;

  async function fetchOnce(): Promise<void> {
    triedAtMs = clock.monotonicMs();
    try {
      const find = await fetchKeys(outbound, source);
      known = { find, fetchedAtMs: clock.monotonicMs() };
      lastFailure = undefined;
    } catch (error) {
      lastFailure = error;
      logger.warn(
        { err: error, issuer: source.issuer },
        "the keys of an identity provider could not be fetched",
      );
    }
  }

  /** Fetches unless there was an attempt a moment ago. Concurrent callers share one fetch. */
  function refresh(): Promise<void> {
    if (fetching === undefined && clock.monotonicMs() - triedAtMs >= COOLDOWN_MS) {
      fetching = fetchOnce().finally(() => {
        fetching = undefined;
      });
    }
    return fetching ?? Promise.resolve();
  }

  return async (header, token) => {
    if (known === undefined) {
      await refresh();
    } else if (clock.monotonicMs() - known.fetchedAtMs >= FRESH_MS) {
      // Not awaited, and it cannot fail: the present keys are good until new ones arrive.
      refresh().catch(() => undefined);
    }
    if (known === undefined) {
      throw unavailable(lastFailure);
    }
    try {
      return await known.find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) {
        throw error;
      }
      await refresh();
      return await known.find(header, token);
    }
  };
}
