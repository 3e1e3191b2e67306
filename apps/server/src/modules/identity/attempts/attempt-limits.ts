import { createHash } from "node:crypto";
import { AppError } from "@turnpike/domain/errors/app-error";
import {
  decideRateLimit,
  type RateLimit,
  type RateLimitDecision,
  type RateLimitState,
} from "@turnpike/domain/limits/rate-limit";
import type { ClusterRates } from "#platform/cluster-rates.ts";
import type { RateBucket } from "#platform/rate-store.ts";
import type { SharedRateTable } from "#platform/shared-rate-table.ts";

/** The account and the network of an attempt. */
export type Attempt = {
  /** The e-mail address as it is stored; left out if the attempt names none. */
  email?: string;
  /** From {@link toNetwork}. */
  network: string;
  /** The browser, if someone signed in to the account in it before. */
  knownBrowser?: string;
};

/** The kinds of attempts. Each has limits of its own. */
export type AttemptKind =
  | "begin"
  | "resume"
  | "sign-in"
  | "factor"
  | "passkey"
  | "proof"
  | "register"
  | "mail"
  | "link"
  | "device"
  | "device-token"
  | "user-code"
  | "client"
  | "client-document"
  | "client-token"
  | "directory"
  | "logout";

const limit = (name: string, count: number, windowSeconds: number): RateLimit => ({
  name,
  limit: count,
  windowSeconds,
});

type LimitsOfKind = {
  /** For one account from one network: stops guessing without locking out the owner, who is in another network. */
  accountAndNetwork?: RateLimit;
  /** For one account from anywhere: stops guessing from many networks. */
  account?: RateLimit;
  /** For one account in a browser that signed in to it before, in place of all others: no stranger can use it up. */
  knownBrowser?: RateLimit;
  network: RateLimit;
};

/** For a block, which is many networks of one provider or company: as much as for four networks. */
const NETWORKS_OF_BLOCK = 4;

export const ATTEMPT_LIMITS: Readonly<Record<AttemptKind, LimitsOfKind>> = {
  // Each sign-in that is started is a row until it expires.
  begin: { network: limit("begin, network", 300, 300) },
  // So is each one that is resumed by a browser with an unknown session.
  resume: { network: limit("resume, network", 300, 300) },
  "sign-in": {
    accountAndNetwork: limit("sign-in, account and network", 10, 900),
    account: limit("sign-in, account", 100, 3_600),
    knownBrowser: limit("sign-in, known browser", 10, 900),
    network: limit("sign-in, network", 100, 300),
  },
  // After the right password. Of a million codes three are right at a time, and no one who guesses gets a new budget by a new browser.
  factor: {
    accountAndNetwork: limit("factor, account and network", 10, 900),
    account: limit("factor, account", 20, 3_600),
    knownBrowser: limit("factor, known browser", 10, 900),
    network: limit("factor, network", 100, 300),
  },
  // There is nothing to guess; each is a signature to verify.
  passkey: { network: limit("passkey, network", 100, 300) },
  // By signed-in people about themselves, named by the id of the account.
  proof: {
    account: limit("proof, account", 10, 900),
    network: limit("proof, network", 100, 300),
  },
  register: {
    account: limit("register, account", 10, 3_600),
    network: limit("register, network", 30, 3_600),
  },
  mail: {
    account: limit("mail, account", 10, 3_600),
    network: limit("mail, network", 30, 3_600),
  },
  link: { network: limit("link, network", 60, 3_600) },
  // Each sign-in of a command line that is started is a row until it expires.
  device: { network: limit("device, network", 30, 300) },
  // Programs that ask for or give back a credential that does not exist.
  "device-token": { network: limit("device-token, network", 300, 300) },
  // Programs that register, and descriptions of programs that are fetched from addresses which they name.
  client: { network: limit("client, network", 30, 300) },
  "client-document": { network: limit("client document, network", 30, 300) },
  // Programs that ask for a token, or give one back, by what does not exist.
  "client-token": { network: limit("client token, network", 300, 300) },
  // Directories of tenants with a token that does not exist.
  directory: { network: limit("directory, network", 300, 300) },
  // Providers that tell of sign-outs by tokens which are not theirs.
  logout: { network: limit("logout, network", 300, 300) },
  // Of 25 thousand million codes, a few are open at a time.
  "user-code": {
    account: limit("user-code, account", 10, 900),
    network: limit("user-code, network", 30, 900),
  },
};

/** Entries of each limit; about 100 bytes each. */
const ENTRIES_MAX = 20_000;
/** The share of entries that remains when there are too many. Making much room at once keeps sorting rare. */
const KEPT_SHARE = 0.75;

/**
 * Names the network of an address: an IPv4 address, or the /64 of an IPv6 address, which usually belongs to one connection.
 *
 * Example: `2001:db8::1` gives `2001:db8:0:0::/64`.
 *
 * @param address - Canonical, as by `toCanonicalAddress`.
 */
export function toNetwork(address: string): string {
  if (!address.includes(":")) {
    return address;
  }
  const [head = "", tail] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(gap).fill("0"), ...after];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

/**
 * Names the block of a network: the /24 of an IPv4 address, the /48 of an IPv6 network. A provider gives one customer up to that
 * much, so its parts are no different senders.
 *
 * Example: `192.0.2.1` gives `192.0.2.0/24`, `2001:db8:0:1::/64` gives `2001:db8:0::/48`.
 *
 * @param network - From {@link toNetwork}.
 */
export function toBlock(network: string): string {
  return network.includes(":")
    ? `${network.split(":").slice(0, 3).join(":")}::/48`
    : network.replace(/\.\d+$/, ".0/24");
}

export interface AttemptLimits {
  /**
   * Counts at once, or with a promise where nodes count together.
   *
   * @throws {AppError} `TOO_MANY_ATTEMPTS`; then nothing was counted. `LIMITS_UNAVAILABLE`, `OVERLOADED` where nodes count together.
   */
  take(kind: AttemptKind, attempt: Attempt): void | Promise<void>;
  /** Refunds a successful attempt, so that only failures add up. */
  giveBack(kind: AttemptKind, attempt: Attempt): void;
}

/** Counts in the memory of this process, so the decision is there at once. */
export interface LocalAttemptLimits extends AttemptLimits {
  take(kind: AttemptKind, attempt: Attempt): void;
}

type Bucket = { key: string; rateLimit: RateLimit };

function hashKey(text: string): string {
  return createHash("sha256").update(text).digest("base64").slice(0, 22);
}

function listBuckets(kind: AttemptKind, { email, network, knownBrowser }: Attempt): Bucket[] {
  const limits = ATTEMPT_LIMITS[kind];
  const bucketOf = (rateLimit: RateLimit | undefined, who: string | undefined): Bucket[] =>
    rateLimit === undefined || who === undefined
      ? []
      : [{ key: hashKey(`${rateLimit.name}\n${who}`), rateLimit }];
  if (knownBrowser !== undefined && limits.knownBrowser !== undefined) {
    return bucketOf(limits.knownBrowser, knownBrowser);
  }
  const { name, limit: ofNetwork, windowSeconds } = limits.network;
  const ofBlock = limit(`${name}, block`, ofNetwork * NETWORKS_OF_BLOCK, windowSeconds);
  return [
    ...bucketOf(limits.accountAndNetwork, email === undefined ? undefined : `${email}\n${network}`),
    ...bucketOf(limits.account, email),
    ...bucketOf(limits.network, network),
    ...bucketOf(ofBlock, toBlock(network)),
  ];
}

/** @throws {AppError} `TOO_MANY_ATTEMPTS` when one of them is refused. */
function assertAllowed(decisions: readonly RateLimitDecision[]): void {
  const waitMs = Math.max(0, ...decisions.map((one) => (one.allowed ? 0 : one.retryAfterMs)));
  if (decisions.some((one) => !one.allowed)) {
    throw new AppError({
      code: "TOO_MANY_ATTEMPTS",
      publicMessage: "Too many attempts. Wait a while, then try again.",
      headers: { "retry-after": String(Math.max(1, Math.ceil(waitMs / 1_000))) },
    });
  }
}

/**
 * Counts attempts in the memory of this process. When there are too many entries of a limit, the lowest counts go first. Otherwise an
 * attacker with many networks could make the process forget an account's failures and continue guessing.
 */
export function createAttemptLimits(
  deps: { monotonicMs(): number },
  options: { entriesMax?: number } = {},
): LocalAttemptLimits & { readonly size: number } {
  const entriesMax = options.entriesMax ?? ENTRIES_MAX;
  const statesOf = new Map<string, Map<string, RateLimitState>>();

  function getStates({ rateLimit }: Bucket): Map<string, RateLimitState> {
    const known = statesOf.get(rateLimit.name) ?? new Map<string, RateLimitState>();
    statesOf.set(rateLimit.name, known);
    return known;
  }

  function remember(bucket: Bucket, state: RateLimitState): void {
    const states = getStates(bucket);
    states.set(bucket.key, state);
    if (states.size > entriesMax) {
      const byRecovery = [...states].toSorted(
        ([, one], [, other]) => one.fullAtMs - other.fullAtMs,
      );
      const leaving = states.size - Math.floor(entriesMax * KEPT_SHARE);
      for (const [key] of byRecovery.slice(0, leaving)) {
        states.delete(key);
      }
    }
  }

  return {
    take(kind, attempt) {
      const nowMs = deps.monotonicMs();
      const decisions = listBuckets(kind, attempt).map((bucket) => {
        const state = getStates(bucket).get(bucket.key) ?? { fullAtMs: 0 };
        const { rateLimit } = bucket;
        return { bucket, ...decideRateLimit({ rateLimit, state, cost: 1, nowMs }) };
      });
      assertAllowed(decisions);
      for (const { bucket, next } of decisions) {
        remember(bucket, next);
      }
    },
    giveBack(kind, attempt) {
      for (const bucket of listBuckets(kind, attempt)) {
        const { rateLimit } = bucket;
        const state = getStates(bucket).get(bucket.key);
        if (state !== undefined) {
          const stepMs = (rateLimit.windowSeconds * 1_000) / rateLimit.limit;
          remember(bucket, { fullAtMs: state.fullAtMs - stepMs });
        }
      }
    },
    get size() {
      return [...statesOf.values()].reduce((sum, { size }) => sum + size, 0);
    },
  };
}

/**
 * Counts attempts in the memory shared by all threads of the process; otherwise like {@link createAttemptLimits}.
 *
 * @param table - Drops the lowest counts when it is full.
 * @param name - Separates these limits from others on the same table.
 */
export function createSharedAttemptLimits(
  table: SharedRateTable,
  name: string,
): LocalAttemptLimits {
  const bucketOf = ({ key }: Bucket) => `${name}|${key}`;

  function giveBackAll(buckets: readonly Bucket[]): void {
    for (const bucket of buckets) {
      // An attempt takes a while to succeed, and its refund may exceed what is left to refund, which is harmless.
      const taken = { cost: 1, takenAtMs: Number.POSITIVE_INFINITY };
      table.giveBack(bucketOf(bucket), bucket.rateLimit, taken);
    }
  }

  return {
    take(kind, attempt) {
      const buckets = listBuckets(kind, attempt);
      assertAllowed(buckets.map((one) => table.look(bucketOf(one), one.rateLimit, 1)));
      const taken: Bucket[] = [];
      try {
        for (const bucket of buckets) {
          assertAllowed([table.take(bucketOf(bucket), bucket.rateLimit, 1).decision]);
          taken.push(bucket);
        }
      } catch (error) {
        giveBackAll(taken);
        throw error;
      }
    },
    giveBack(kind, attempt) {
      giveBackAll(listBuckets(kind, attempt));
    },
  };
}

/**
 * Counts attempts of all nodes together; otherwise like {@link createAttemptLimits}. While their store is away, each process has
 * its share of every limit, whole at first: guessing stays limited, and who has done nothing is not locked out.
 *
 * @param name - Separates these limits from others in the same store.
 */
export function createClusterAttemptLimits(rates: ClusterRates, name: string): AttemptLimits {
  const listOf = (kind: AttemptKind, attempt: Attempt): RateBucket[] =>
    listBuckets(kind, attempt).map(({ key, rateLimit }) => ({
      name: `attempts|${name}|${key}`,
      rateLimit,
    }));
  return {
    async take(kind, attempt) {
      const request = { buckets: listOf(kind, attempt), cost: 1 };
      const { decisions } = await rates.decide(request, "share");
      assertAllowed(decisions);
    },
    giveBack(kind, attempt) {
      rates.giveBack(listOf(kind, attempt), "share");
    },
  };
}
