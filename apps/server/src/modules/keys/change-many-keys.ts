import type {
  ChangedKey,
  ChangeKeysRequest,
  ChangeKeysResponse,
  KeyChange,
} from "@turnpike/contract/key-bulk";
import type { JsonValue } from "@turnpike/db/client";
import { assertMayInTenant, type CallContext } from "@turnpike/domain/access/actor";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import type { KeyId } from "@turnpike/domain/ids/ids";
import { writeAudit } from "#modules/audit/index.ts";
import { publishEvent } from "#modules/notifications/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import { assertTenantExists } from "#platform/assert-tenant-exists.store.ts";
import { lockKeyRows, publishKeys, updateKeyRows } from "./key-bulk.store.ts";
import {
  findScopeNotHeld,
  isReachExtended,
  parseExpiry,
  REVOKED_KEY_UNCHANGEABLE,
} from "./key-input.ts";
import type { KeyRow } from "./keys.store.ts";
import { toKeyReply } from "./to-key-reply.ts";

/** What a change does to one key: the same as a single change of it. */
type Rule = {
  set: Partial<Pick<KeyRow, "disabled_at" | "revoked_at" | "expires_at">>;
  isDone: (row: KeyRow) => boolean;
  /** Why a key is refused; undefined when it may be changed. */
  objection: (row: KeyRow) => string | undefined;
  action: "key.disabled" | "key.enabled" | "key.revoked" | "key.updated";
  describe: (row: KeyRow) => Record<string, JsonValue>;
};

const ROLLED_KEY_ENDS =
  "This key was rolled and ends with its grace period. Change its expiry on its own.";

function objectRevoked(row: KeyRow): string | undefined {
  return row.revoked_at === null ? undefined : REVOKED_KEY_UNCHANGEABLE;
}

function toRule(change: KeyChange, now: Date): Rule {
  switch (change.action) {
    case "disable":
      return {
        set: { disabled_at: now },
        isDone: (row) => row.disabled_at !== null,
        objection: objectRevoked,
        action: "key.disabled",
        describe: ({ name }) => ({ name }),
      };
    case "enable":
      return {
        set: { disabled_at: null },
        isDone: (row) => row.disabled_at === null,
        objection: objectRevoked,
        action: "key.enabled",
        describe: ({ name }) => ({ name }),
      };
    case "revoke":
      return {
        set: { revoked_at: now },
        isDone: (row) => row.revoked_at !== null,
        objection: () => undefined,
        action: "key.revoked",
        describe: (row) => ({ name: row.name, start: row.start }),
      };
    case "set_expiry": {
      const expiresAt = parseBulkExpiry(change.expiresAt, now);
      return {
        set: { expires_at: expiresAt },
        isDone: (row) => row.expires_at?.getTime() === expiresAt?.getTime(),
        // Selecting all keys would revive texts that were replaced, including leaked ones.
        objection: (row) =>
          objectRevoked(row) ?? (row.rolled_to === null ? undefined : ROLLED_KEY_ENDS),
        action: "key.updated",
        describe: (row) => ({
          name: row.name,
          expiresAt: [row.expires_at?.toISOString() ?? null, expiresAt?.toISOString() ?? null],
        }),
      };
    }
    default:
      return change satisfies never;
  }
}

/** Points at the expiry of this request. */
function parseBulkExpiry(expiresAt: string | null, now: Date): Date | null {
  try {
    return parseExpiry(expiresAt, now);
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error;
    }
    throw new AppError({
      code: error.code,
      publicMessage: error.message,
      errors: error.errors.map((one) => ({ ...one, pointer: `/change${one.pointer}` })),
      cause: error,
    });
  }
}

function refuse(keyId: KeyId, error: NonNullable<ChangedKey["error"]>): ChangedKey {
  return { keyId, status: "refused", key: null, error };
}

/**
 * Changes many keys of a tenant in one transaction, each like a single change: with its own audit entry and webhook event,
 * effective on every process within a second. A refused key does not stop the others, and a key that already has the state is
 * skipped, so that a repeated request changes nothing. Unlike a single change, it changes no expiry of a rolled key.
 *
 * @returns The outcome of each key, in the order of the request. A key of another tenant is refused like a missing one.
 * @throws {AppError} `RESOURCE_NOT_FOUND` (tenant), `INSUFFICIENT_SCOPE`, `INVALID_REQUEST` (expiry in the past).
 */
export async function changeManyKeys(
  deps: AppServices,
  context: CallContext,
  input: ChangeKeysRequest,
): Promise<ChangeKeysResponse> {
  const { tenantId, keyIds, change } = input;
  assertMayInTenant(context.actor, "keys:write", tenantId);
  const now = deps.clock.now();
  const rule = toRule(change, now);
  return await deps.transact.asTenant(tenantId, async (tx) => {
    await assertTenantExists(tx, tenantId);
    const before = new Map(
      (await lockKeyRows(tx, tenantId, keyIds)).map((row) => [row.key_id, row]),
    );
    const objectTo = (row: KeyRow): ChangedKey["error"] => {
      const message = rule.objection(row);
      if (message !== undefined) {
        return { code: "CONFLICT", message };
      }
      const notHeld = isReachExtended(row, { ...row, ...rule.set })
        ? findScopeNotHeld(context, tenantId, row.scopes)
        : undefined;
      return notHeld === undefined ? null : { code: "INSUFFICIENT_SCOPE", message: notHeld };
    };
    const isOpen = (row: KeyRow) => !rule.isDone(row) && objectTo(row) === null;
    const due = keyIds.flatMap((keyId) => before.get(keyId) ?? []).filter(isOpen);
    const dueIds = due.map((row) => row.key_id);
    const changed =
      due.length === 0
        ? []
        : await updateKeyRows(tx, tenantId, { keyIds: dueIds, set: rule.set, now });
    const after = new Map(changed.map((row) => [row.key_id, row]));
    // Pipelined: five hundred entries take one round trip, not five hundred.
    await Promise.all([
      ...due.map((row) =>
        writeAudit(deps, tx, context, {
          tenantId,
          action: rule.action,
          entityType: "key",
          entityId: row.key_id,
          details: rule.describe(row),
        }),
      ),
      ...changed.map((row) =>
        publishEvent(deps, tx, {
          tenantId,
          type: rule.action,
          data: { key: toKeyReply(row, now) },
        }),
      ),
    ]);
    if (due.length > 0) {
      await publishKeys(tx, tenantId, dueIds);
    }

    const items = keyIds.map((keyId): ChangedKey => {
      const old = before.get(keyId);
      if (old === undefined) {
        const { message } = resourceNotFound("key");
        return refuse(keyId, { code: "RESOURCE_NOT_FOUND", message });
      }
      const objection = objectTo(old);
      if (objection !== null) {
        return refuse(keyId, objection);
      }
      const row = after.get(keyId);
      const status = row === undefined ? "unchanged" : "changed";
      return { keyId, status, key: toKeyReply(row ?? old, now), error: null };
    });
    const count = (status: ChangedKey["status"]) =>
      items.filter((item) => item.status === status).length;
    return {
      changed: count("changed"),
      unchanged: count("unchanged"),
      refused: count("refused"),
      items,
    };
  });
}
