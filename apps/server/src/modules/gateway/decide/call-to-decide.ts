import type { ScopeQuery } from "@turnpike/domain/access/scope-query";
import type { Entitlement } from "@turnpike/domain/entitlements/entitlement";
import type { Environment } from "@turnpike/domain/keys/key-format";
import type { KeyRecord } from "#modules/keys/index.ts";

/** What is asked about a key. */
export type CallToDecide = {
  keyText: string;
  meterId: string;
  cost: number;
  /** True to be told what a call of this cost would be, and to take nothing; so it is anyway with a cost of 0. */
  isDryRun?: boolean;
  /** Finds where the call came from, canonical; asked only for keys that are bound to networks. */
  findAddress: () => string | undefined;
  /** What the key must be allowed; left out: nothing. */
  scopeQuery?: ScopeQuery | undefined;
  /** The environment that the key must be of; left out: any. */
  environment?: Environment | undefined;
  /** True when a refusal must name every limit as it stands, also those that it was not refused for. */
  tellsLimits?: boolean;
};

/** Whose call it is. */
export type Subject = {
  key: KeyRecord;
  tenant: Entitlement;
  /** The billing period of now, epoch milliseconds, `[start, end)`. */
  periodStartMs: number;
  periodEndMs: number;
};

/** Whose limit it is: all keys of the tenant draw on its limits together, and each key may have smaller ones. */
export type LimitScope = "tenant" | "key";
