import type { Tx } from "@turnpike/db/client";
import type { Actor } from "@turnpike/domain/access/actor";
import type { Scope } from "@turnpike/domain/access/scopes";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { type Environment, parseKey } from "@turnpike/domain/keys/key-format";
import { compileNetworks, type Networks } from "@turnpike/domain/keys/networks";
import type { KeyQuota } from "@turnpike/domain/limits/key-quota";
import type { RateLimit } from "@turnpike/domain/limits/rate-limit";
import type { EntitlementDirectory } from "#modules/entitlements/index.ts";
import { asciiJson } from "#platform/ascii-json.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import type { Change } from "#platform/change-feed.ts";
import { createRecordCache } from "#platform/record-cache.ts";
import type { Transact } from "#platform/transact.ts";
import { hashKey } from "./hash-key.ts";
import { findKeysByHash, type KeyRow } from "./keys.store.ts";
import { findServiceKeysByHash } from "./service-keys.store.ts";

/** What the hot path knows of a key. */
export type KeyRecord = {
  keyId: KeyId;
  /** The first key of its line: a key and its successors by rolling share limits. */
  originKeyId: KeyId;
  tenantId: TenantId;
  /** The name as JSON in ASCII, ready for answers. */
  nameText: string;
  environment: Environment;
  scopes: readonly string[];
  /** The metadata likewise: nothing reads its fields, and a string takes less memory than an object. */
  metadataText: string;
  /** Where calls may come from; undefined for anywhere. */
  networks: Networks | undefined;
  /** Limits of its own, below those of its tenant. */
  rateLimits: readonly RateLimit[];
  quotas: readonly KeyQuota[];
  /** Calls at once; undefined for no limit of its own. */
  concurrency?: number | undefined;
  /** Epoch milliseconds; `Infinity` for a key without expiry. */
  expiresAtMs: number;
  /** When it was created or last changed, epoch milliseconds. */
  updatedAtMs: number;
  disabled: boolean;
  revoked: boolean;
};

type ServiceKeyRecord = { serviceKeyId: string; scopes: readonly Scope[] };

export type KeyDirectory = {
  /** From memory, or `undefined` when it must be loaded; `null` for a key known not to exist. */
  peekKey(hash: string): KeyRecord | null | undefined;
  loadKey(hash: string): Promise<KeyRecord | null>;
  /** Forgets that there is no such key, so that it is looked for again. */
  forgetMiss(hash: string): void;
  /**
   * The actor of an API credential: a service key, or a live key of a tenant that is not suspended. Synchronous when the
   * record is in memory.
   *
   * @param findAddress - Where the request came from. Called only for keys that are bound to networks.
   * @throws {AppError} `FORBIDDEN_NETWORK`.
   */
  findActor(
    credential: string,
    findAddress?: () => string | undefined,
  ): Actor | undefined | Promise<Actor | undefined>;
  /** Forgets what a change may have made untrue. */
  applyChange(change: Change): void;
};

/** Keys held in memory at most, each about 0.5 to 1 kB; further ones are loaded again. */
const RECORDS_MAX = 1_000_000;
/** Unknown keys remembered at most, and for how long. New keys are published, so this only bounds lookups. */
const MISSES_MAX = 50_000;
const MISS_TTL_MS = 10_000;
/** Service keys whose hash is remembered; an installation has a handful. */
const SERVICE_HASHES_MAX = 16;
/** Lookups under way at once; a flood of unknown keys must not take every connection. */
const LOADS_MAX = 8;
const LOADS_WAITING_MAX = 2_000;
const LOAD_TIMEOUT_MS = 5_000;

const NONE: readonly never[] = Object.freeze([]);

/** Empty lists and equal strings are shared between records, of which there may be a million. */
function toKeyRecord(row: KeyRow): KeyRecord {
  return {
    keyId: row.key_id,
    originKeyId: row.origin_key_id === row.key_id ? row.key_id : row.origin_key_id,
    tenantId: row.tenant_id,
    nameText: asciiJson(row.name),
    environment: row.environment === "live" ? "live" : "test",
    scopes: row.scopes.length === 0 ? NONE : row.scopes,
    metadataText: Object.keys(row.metadata).length === 0 ? "{}" : asciiJson(row.metadata),
    networks: row.allowed_networks.length === 0 ? undefined : compileNetworks(row.allowed_networks),
    rateLimits: row.rate_limits.length === 0 ? NONE : row.rate_limits,
    quotas: row.quotas.length === 0 ? NONE : row.quotas,
    concurrency: row.concurrency ?? undefined,
    expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    updatedAtMs: row.updated_at.getTime(),
    disabled: row.disabled_at !== null,
    revoked: row.revoked_at !== null,
  };
}

/**
 * Keeps key records in memory and loads them on a miss. The change feed drops changed records, so that every process refuses
 * a revoked key within a second.
 */
export function createKeyDirectory(deps: {
  transact: Transact;
  monotonicMs: () => number;
  now: () => Date;
  entitlements: Pick<EntitlementDirectory, "load">;
}): KeyDirectory {
  const bounds = {
    recordsMax: RECORDS_MAX,
    missesMax: MISSES_MAX,
    missTtlMs: MISS_TTL_MS,
    loadsMax: LOADS_MAX,
    loadsWaitingMax: LOADS_WAITING_MAX,
    waitMsMax: LOAD_TIMEOUT_MS,
    monotonicMs: deps.monotonicMs,
  };
  // Times out before the connection does, so that a waiting caller has an answer within seconds.
  const lookUp = <Row>(find: (tx: Tx) => Promise<Row>): Promise<Row> =>
    withTimeout(deps.transact.asOperator(find), LOAD_TIMEOUT_MS);

  const keys = createRecordCache<KeyRecord>({
    ...bounds,
    idOf: (record) => record.keyId,
    load: async (hashes) => {
      const rows = await lookUp((tx) => findKeysByHash(tx, hashes));
      return new Map([...rows].map(([hash, row]) => [hash, toKeyRecord(row)]));
    },
  });

  const serviceKeys = createRecordCache<ServiceKeyRecord>({
    ...bounds,
    idOf: (record) => record.serviceKeyId,
    load: async (hashes) => {
      const rows = await lookUp((tx) => findServiceKeysByHash(tx, hashes));
      const valid = [...rows].filter(([, row]) => row.revoked_at === null);
      return new Map(
        valid.map(([hash, row]) => [
          hash,
          { serviceKeyId: row.service_key_id, scopes: row.scopes },
        ]),
      );
    },
  });

  const serviceHashes = new Map<string, string>();

  function toServiceActor(record: ServiceKeyRecord | null): Actor | undefined {
    return record === null
      ? undefined
      : { type: "service_key", id: record.serviceKeyId, scopes: record.scopes };
  }

  /** A program sends the same service key with every call, so its hash is cached. Revocation still drops the record. */
  function rememberServiceHash(credential: string): string {
    if (serviceHashes.size >= SERVICE_HASHES_MAX) {
      serviceHashes.clear();
    }
    const hash = hashKey(credential);
    serviceHashes.set(credential, hash);
    return hash;
  }

  function findServiceActor(hash: string): Actor | undefined | Promise<Actor | undefined> {
    const known = serviceKeys.peek(hash);
    return known === undefined ? serviceKeys.get(hash).then(toServiceActor) : toServiceActor(known);
  }

  async function findKeyActor(
    credential: string,
    findAddress: () => string | undefined,
  ): Promise<Actor | undefined> {
    const record = await keys.get(hashKey(credential));
    if (
      record === null ||
      record.environment !== "live" ||
      record.revoked ||
      record.disabled ||
      record.expiresAtMs <= deps.now().getTime()
    ) {
      return;
    }
    const tenant = await deps.entitlements.load(record.tenantId);
    if (tenant === null || tenant.suspended) {
      return;
    }
    const address = record.networks === undefined ? undefined : findAddress();
    if (record.networks !== undefined && (address === undefined || !record.networks.has(address))) {
      throw new AppError({
        code: "FORBIDDEN_NETWORK",
        publicMessage: "This API key may not be used from the network of this request.",
      });
    }
    return {
      type: "key",
      id: record.keyId,
      tenantId: record.tenantId,
      scopes: record.scopes as readonly Scope[],
    };
  }

  return {
    peekKey: keys.peek,
    loadKey: keys.get,
    forgetMiss: keys.forgetMiss,
    findActor: (credential, findAddress = () => undefined) => {
      const serviceHash = serviceHashes.get(credential);
      if (serviceHash !== undefined) {
        return findServiceActor(serviceHash);
      }
      const parsed = parseKey(credential);
      if (parsed.form === "malformed") {
        return undefined;
      }
      // An imported key can have any form. Lookups of unknown ones are bounded.
      return parsed.form === "own" && parsed.kind === "svc"
        ? findServiceActor(rememberServiceHash(credential))
        : findKeyActor(credential, findAddress);
    },
    applyChange: (change) => {
      switch (change.kind) {
        case "key":
          keys.forget(change.entityId);
          return;
        case "service_key":
          serviceKeys.forget(change.entityId);
          return;
        case "reset":
          keys.clear();
          serviceKeys.clear();
          return;
        default:
          return;
      }
    },
  };
}
