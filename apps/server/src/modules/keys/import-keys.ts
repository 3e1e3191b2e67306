import {
  HASH_OF_PLACEHOLDER,
  HASH_REFUSED,
  type ImportedRow,
  type ImportKeyRow,
  type ImportKeysRequest,
  type ImportKeysResponse,
} from "@turnpike/contract/key-import";
import type { Tx } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext, may } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { KeyId, TenantId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { findOwnKeysByHash, type ImportedKeyRow, insertImportedKeys } from "./key-import.store.ts";
import { assertScopesAllowed, assertScopesHeld } from "./key-input.ts";
import { publishKey } from "./keys.store.ts";
import { findPlaceholderHashes } from "./placeholder-hashes.ts";
import { findMistakes, type ReadRow, readImportRow } from "./read-import-rows.ts";

const PLACEHOLDER = { pointer: "/hash", message: HASH_OF_PLACEHOLDER };

/** Carries the answer of a dry run out of the transaction, which is rolled back. */
class Rehearsed extends Error {
  override readonly name = "Rehearsed";
  readonly answer: ImportKeysResponse;

  constructor(answer: ImportKeysResponse) {
    super("A dry run is undone.");
    this.answer = answer;
  }
}

/** Why a scope is refused, by scope: one lookup for all rows. */
async function findScopeRefusals(
  tx: Tx,
  context: CallContext,
  input: { tenantId: TenantId; scopes: readonly string[] },
): Promise<Map<string, string>> {
  const refusals = new Map<string, string>();
  for (const scope of input.scopes) {
    try {
      assertScopesHeld(context, input.tenantId, [scope]);
    } catch (error) {
      if (!(error instanceof AppError)) {
        throw error;
      }
      refusals.set(scope, error.message);
    }
  }
  try {
    await assertScopesAllowed(tx, input.tenantId, { scopes: input.scopes, kept: [] });
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    for (const { pointer, message } of error.errors) {
      refusals.set(input.scopes[Number(pointer.split("/").at(-1))] ?? "", message);
    }
  }
  return refusals;
}

function findScopeMistakes(
  row: ImportKeyRow,
  refusals: ReadonlyMap<string, string>,
): ImportedRow["errors"] {
  return row.scopes.flatMap((scope, index) => {
    const message = refusals.get(scope);
    return message === undefined ? [] : [{ pointer: `/scopes/${String(index)}`, message }];
  });
}

/**
 * The hashes that this caller may not import. A client that sends `undefined` for a key would otherwise act in the tenant that
 * imported it. The operator knows which keys were in use before, and may import any.
 */
async function findRefusedHashes(
  { actor }: CallContext,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  return may(actor, "keys:write") ? new Set() : await findPlaceholderHashes(hashes);
}

function toStoredRow(keyId: KeyId, row: ImportKeyRow): ImportedKeyRow {
  return {
    key_id: keyId,
    hash: row.hash,
    name: row.name,
    environment: row.environment,
    start: row.start,
    last_four: row.lastFour,
    scopes: [...new Set(row.scopes)],
    metadata:
      row.externalId === undefined ? row.metadata : { ...row.metadata, externalId: row.externalId },
    expires_at: row.expiresAt ?? null,
  };
}

function toItem(
  read: ReadRow,
  /** `isGone`: a dry run created the key and rolls it back. */
  found: { isNew: boolean; keyId: KeyId | undefined; isGone: boolean },
): ImportedRow {
  if (!("row" in read)) {
    return { status: "refused", keyId: null, errors: read.errors };
  }
  if (found.keyId === undefined) {
    const errors = [{ pointer: "/hash", message: HASH_REFUSED }];
    return { status: "refused", keyId: null, errors };
  }
  const status = found.isNew ? "imported" : "exists";
  return { status, keyId: found.isGone ? null : found.keyId, errors: [] };
}

/**
 * Imports existing keys by their hashes, at most 1,000 in one transaction. It is idempotent by hash: a key that the tenant
 * already has stays as it is, so a file can be imported again after any interruption. A refused row does not stop the others.
 * A dry run does everything and rolls it back. Hashes of placeholders and common values are the operator's to import.
 *
 * @returns The outcome of each row. A hash that another tenant holds is refused like an invalid one.
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `DIRECTORY_UNAVAILABLE`.
 */
export async function importKeys(
  deps: AppServices,
  context: CallContext,
  input: ImportKeysRequest,
): Promise<ImportKeysResponse> {
  const { tenantId, dryRun } = input;
  assertMayInTenant(context.actor, "keys:write", tenantId);
  const now = deps.clock.now();
  const reads = input.rows.map(readImportRow);
  const rows = reads.flatMap((read) => ("row" in read ? [read.row] : []));
  const hashes = rows.map((row) => row.hash);
  const refusedHashes = await findRefusedHashes(context, hashes);

  async function write(tx: Tx): Promise<ImportKeysResponse> {
    await assertTenantExists(tx, tenantId);
    // Existing keys are skipped before validation: their expiry may have passed and the plan may have changed, and the same
    // file must still change nothing.
    const known = await findOwnKeysByHash(tx, tenantId, hashes);
    const scopes = new Set(rows.flatMap((row) => (known.has(row.hash) ? [] : row.scopes)));
    const refusals = await findScopeRefusals(tx, context, { tenantId, scopes: [...scopes] });
    const newKeys = new Map<string, ImportedKeyRow>();
    const checked = reads.map((read): ReadRow => {
      if (!("row" in read) || known.has(read.row.hash) || newKeys.has(read.row.hash)) {
        return read;
      }
      const errors = [
        ...findMistakes(read.row, now),
        ...findScopeMistakes(read.row, refusals),
        ...(refusedHashes.has(read.row.hash) ? [PLACEHOLDER] : []),
      ];
      if (errors.length > 0) {
        return { errors };
      }
      newKeys.set(read.row.hash, toStoredRow(deps.newId("key"), read.row));
      return read;
    });
    if (!dryRun && newKeys.size > 0) {
      const taken = await deps.cellEntries?.admitKeys(tenantId, [...newKeys.keys()]);
      for (const hash of taken ?? []) {
        newKeys.delete(hash);
      }
    }
    const createdBy = `${context.actor.type}:${context.actor.id}`;
    const inserted = await insertImportedKeys(tx, tenantId, {
      rows: [...newKeys.values()],
      createdBy,
      now,
    });
    const own = await findOwnKeysByHash(tx, tenantId, hashes);
    const answered = new Set<KeyId>();
    const items = checked.map((read) => {
      const keyId = "row" in read ? own.get(read.row.hash) : undefined;
      // The first of two rows with one hash becomes the key.
      const isNew = keyId !== undefined && inserted.has(keyId) && !answered.has(keyId);
      if (keyId !== undefined) {
        answered.add(keyId);
      }
      const isGone = dryRun && keyId !== undefined && inserted.has(keyId);
      return toItem(read, { isNew, keyId, isGone });
    });
    const count = (status: ImportedRow["status"]) =>
      items.filter((item) => item.status === status).length;
    const answer: ImportKeysResponse = {
      dryRun,
      imported: count("imported"),
      existing: count("exists"),
      refused: count("refused"),
      items,
    };
    const [first] = inserted;
    if (first !== undefined) {
      await writeAudit(deps, tx, context, {
        tenantId,
        action: "keys.imported",
        entityType: "tenant",
        entityId: tenantId,
        details: { imported: answer.imported, existing: answer.existing, refused: answer.refused },
      });
      const { imported, existing, refused } = answer;
      await publishEvent(deps, tx, {
        tenantId,
        type: "keys.imported",
        data: { tenantId, imported, existing, refused },
      });
      // Processes know new keys only as unknown, and one published key makes each forget all unknown ones.
      await publishKey(tx, tenantId, first);
    }
    if (dryRun) {
      throw new Rehearsed(answer);
    }
    return answer;
  }

  try {
    return await deps.transact.asTenant(tenantId, write);
  } catch (error) {
    if (error instanceof Rehearsed) {
      return error.answer;
    }
    throw error;
  }
}
