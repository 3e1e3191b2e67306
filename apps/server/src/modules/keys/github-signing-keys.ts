import { createPublicKey, type KeyObject } from "node:crypto";
import { AppError } from "@turnpike/domain/errors/app-error";
import { z } from "zod";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { Outbound, OutboundLimits } from "#platform/outbound.ts";

export type GithubSigningKeys = {
  /**
   * The key with the identifier; `undefined` when GitHub publishes none.
   *
   * @throws {AppError} `LEAK_KEYS_UNAVAILABLE` while GitHub cannot be reached.
   */
  find(identifier: string): Promise<KeyObject | undefined>;
};

const LIMITS: OutboundLimits = { timeoutMs: 5_000, bytesMax: 256 * 1024 };
/** Between two fetches, for anything that is asked for: invented identifiers must not cause calls to GitHub. */
const COOLDOWN_MS = 60_000;
/** After this, known keys are fetched again, so that a withdrawn one stops verifying. */
const FRESH_MS = 60 * 60_000;
/** While GitHub is unreachable, known keys verify for this long. */
const TRUSTED_MS = 24 * 60 * 60_000;

const published = z.object({
  public_keys: z
    .array(z.object({ key_identifier: z.string().min(1).max(200), key: z.string().max(2_000) }))
    .max(100),
});

/** Parses a PEM; `undefined` unless the key is on the protocol's curve. */
function readKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: pem, format: "pem" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
  } catch {
    return;
  }
}

function readKeys(value: unknown): Map<string, KeyObject> {
  const keys = new Map<string, KeyObject>();
  for (const { key_identifier, key } of published.parse(value).public_keys) {
    const readable = readKey(key);
    if (readable !== undefined) {
      keys.set(key_identifier, readable);
    }
  }
  return keys;
}

/**
 * Caches the public keys of GitHub's secret scanning. It fetches them on first use, after an hour, and for an unknown
 * identifier: at most once a minute, with the ETag, and once for all waiting callers.
 */
export function createGithubSigningKeys(
  deps: {
    outbound: Pick<Outbound, "getJsonIfChanged">;
    clock: Pick<Clock, "monotonicMs">;
    logger: Pick<Logger, "warn">;
  },
  url: string,
): GithubSigningKeys {
  const { clock } = deps;
  let keys: ReadonlyMap<string, KeyObject> = new Map();
  let etag: string | undefined;
  let confirmedAtMs = Number.NEGATIVE_INFINITY;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  async function fetchOnce(): Promise<void> {
    triedAtMs = clock.monotonicMs();
    try {
      const answer = await deps.outbound.getJsonIfChanged(url, LIMITS, etag);
      if (answer !== undefined) {
        keys = readKeys(answer.value);
        etag = answer.etag;
      }
      confirmedAtMs = clock.monotonicMs();
    } catch (error) {
      deps.logger.warn(
        { err: error },
        "the signing keys of GitHub's secret scanning cannot be fetched",
      );
    }
  }

  async function refresh(): Promise<void> {
    if (fetching === undefined && clock.monotonicMs() - triedAtMs >= COOLDOWN_MS) {
      fetching = fetchOnce().finally(() => {
        fetching = undefined;
      });
    }
    await fetching;
  }

  return {
    async find(identifier) {
      const isFresh = () => clock.monotonicMs() - confirmedAtMs < FRESH_MS;
      if (!(keys.has(identifier) && isFresh())) {
        await refresh();
      }
      if (clock.monotonicMs() - confirmedAtMs >= TRUSTED_MS) {
        throw new AppError({
          code: "LEAK_KEYS_UNAVAILABLE",
          publicMessage: "The keys that verify this report cannot be fetched. Send it again later.",
          headers: { "retry-after": String(COOLDOWN_MS / 1_000), connection: "close" },
        });
      }
      return keys.get(identifier);
    },
  };
}
