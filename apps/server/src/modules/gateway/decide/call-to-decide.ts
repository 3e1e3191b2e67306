import type { ScopeQuery } from "@turnpike/domain/access/scope-query";
import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { KeyRecord } from "#modules/keys/index.ts";

/** The upstream of a call, of which all nodes together work on so many calls at once. */
export type CalledUpstream = { name: string; maxConcurrent: number; tenantSharePercent: number };

/** What is asked about a key. */
export type CallToDecide = {
  keyText: string;
  meterId: string;
  cost: number;
  /** True to decide a call of this cost without taking anything. A cost of 0 never takes anything. */
  isDryRun?: boolean;
  /** True for units of another meter of a call that was admitted: it counts for no rate limit again. */
  isFurtherMeter?: boolean;
  /** Finds the canonical address of the caller; called only for keys that are bound to networks. */
  findAddress: () => string | undefined;
  /** What the key must be allowed to do. Left out: nothing. */
  scopeQuery?: ScopeQuery | undefined;
  /** The environment that the key must belong to. Left out: any. */
  environment?: Environment | undefined;
  /** False where a key of the environment `test` has nowhere to go. */
  takesTestKeys?: boolean;
  /** True for a call whose end is reported: until then it holds a permit of each concurrency limit. */
  holdsPermits?: boolean;
  /** Where such a call goes. Left out: its upstream does not count with the cluster. */
  upstreamOf?: (environment: Environment) => CalledUpstream;
  /** True when a refusal must report every limit, including those that did not refuse. */
  tellsLimits?: boolean;
};

/** Whose call it is. */
export type Subject = {
  key: KeyRecord;
  tenant: Entitlement;
  /** The current billing period, epoch milliseconds, `[start, end)`. */
  periodStartMs: number;
  periodEndMs: number;
};

/** Whose limit it is: all keys of a tenant share its limits, and each key may have smaller ones of its own. */
export type LimitScope = "tenant" | "key";
