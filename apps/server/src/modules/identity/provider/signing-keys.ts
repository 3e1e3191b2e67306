import type { Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { JWK } from "jose";
import type { AppServices } from "#platform/app-services.ts";
import {
  createSealedKey,
  openSealedKey,
  type SigningKey,
  toPublicJwk,
  toSecretId,
} from "./sealed-key.ts";
import {
  deleteSigningKeys,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  type SigningKeyRow,
  touchSigningKeys,
} from "./signing-keys.store.ts";

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** How long a key signs. */
export const KEY_LIFETIME_MS = 90 * DAY_MS;
/** How long before it signs a key is published, so that verifiers have fetched it by then. */
export const KEY_PUBLISHED_AHEAD_MS = 7 * DAY_MS;
/** How long after its last signature a key is still published: tokens live 15 minutes, and clocks differ. */
export const KEY_KEPT_MS = HOUR_MS;
/** How old keys may be before they are read again: another process may have created one. */
const READ_AGAIN_MS = 60 * 1_000;

export interface SigningKeys {
  /** Our own keys, the signing one first. Reads and rotates them when due. */
  current(): Promise<readonly SigningKey[]>;
  /**
   * All trusted keys, including those of machines with another secret, the one that signs here first. Returns the last read list
   * without waiting; it is the same list until the keys change.
   */
  publicKeys(): readonly JWK[];
}

export type SigningKeysDeps = Pick<AppServices, "transact" | "clock" | "logger">;

/** When the next key signs. A process that was off for long still publishes it ahead. */
function nextSignsFrom(current: SigningKeyRow, now: Date): Date {
  const plannedMs = current.signs_from.getTime() + KEY_LIFETIME_MS;
  const soonestMs = now.getTime() + KEY_PUBLISHED_AHEAD_MS;
  return new Date(Math.max(plannedMs, soonestMs));
}

/** The last of the keys, in order, whose time has come. */
function findSigning<Key extends { signs_from: Date }>(keys: readonly Key[], now: Date) {
  return keys.findLast((key) => key.signs_from <= now);
}

/** Creates our next key when it is due. @returns All of ours, in the order in which they sign. */
async function ensureOwnKeys(
  tx: Tx,
  input: { own: readonly SigningKeyRow[]; secret: string; now: Date },
): Promise<SigningKeyRow[]> {
  const { own, secret, now } = input;
  const signing = findSigning(own, now);
  const isNextDue =
    signing !== undefined &&
    own.at(-1) === signing &&
    now.getTime() >= signing.signs_from.getTime() + KEY_LIFETIME_MS - KEY_PUBLISHED_AHEAD_MS;
  if (signing !== undefined && !isNextDue) {
    return [...own];
  }
  const signsFrom = signing === undefined ? now : nextSignsFrom(signing, now);
  const sealed = await createSealedKey(secret);
  const made = { ...sealed, secret_id: toSecretId(secret), signs_from: signsFrom, seen_at: now };
  await insertSigningKey(tx, { ...made, now });
  return [...own, made].toSorted((a, b) => a.signs_from.getTime() - b.signs_from.getTime());
}

/** True for a key that no token needs any longer. */
function isDone(key: SigningKeyRow, next: SigningKeyRow | undefined, now: Date): boolean {
  const keptUntilMs = (since: Date) => since.getTime() + KEY_KEPT_MS;
  const isReplaced = next !== undefined && keptUntilMs(next.signs_from) <= now.getTime();
  return isReplaced || keptUntilMs(key.seen_at) <= now.getTime();
}

/** Creates what is missing and deletes what is obsolete. @returns The others: ours in the order in which they sign, then foreign ones. */
async function rotate(
  deps: SigningKeysDeps,
  secret: string,
): Promise<{ own: SigningKeyRow[]; others: SigningKeyRow[] }> {
  const secretId = toSecretId(secret);
  return await deps.transact.asOperator(async (tx) => {
    await lockSigningKeys(tx);
    const now = deps.clock.now();
    await touchSigningKeys(tx, secretId, now);
    const all = await listSigningKeys(tx);
    const isOwn = (key: SigningKeyRow) => key.secret_id === secretId;
    const own = await ensureOwnKeys(tx, { own: all.filter(isOwn), secret, now });
    const others = all.filter((key) => !isOwn(key));
    const done = [
      ...own.filter((key, index) => isDone(key, own[index + 1], now)),
      ...others.filter((key) => isDone(key, undefined, now)),
    ];
    if (done.length > 0) {
      await deleteSigningKeys(
        tx,
        done.map((key) => key.kid),
      );
    }
    const isNeeded = (key: SigningKeyRow) => !done.includes(key);
    return { own: own.filter(isNeeded), others: others.filter(isNeeded) };
  });
}

/**
 * Opens the keys that sign ID tokens, creating the first one. Processes that start at once with the same secret all get the same
 * keys. Processes with another secret, such as machines that generated their own, sign with keys of their own, and all trust each
 * other's keys.
 *
 * @param secret - Encrypts the private keys; at least 32 characters.
 */
export async function openSigningKeys(deps: SigningKeysDeps, secret: string): Promise<SigningKeys> {
  const known = new Map<string, SigningKey>();
  let own: SigningKey[] = [];
  let others: JWK[] = [];
  let published: { kids: string; keys: JWK[] } = { kids: "", keys: [] };
  let readAtMs = 0;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const rows = await rotate(deps, secret);
    const keys: SigningKey[] = [];
    for (const row of rows.own) {
      const key = known.get(row.kid) ?? (await openSealedKey(secret, row));
      keys.push({ ...key, signsFrom: row.signs_from });
    }
    known.clear();
    for (const key of keys) {
      known.set(key.kid, key);
    }
    own = keys;
    others = rows.others.map((row) => toPublicJwk(row));
  }

  function readOnce(): Promise<void> {
    reading ??= read().finally(() => {
      // Also after a failure: not every call should wait for a database that is down.
      readAtMs = deps.clock.now().getTime();
      reading = undefined;
    });
    return reading;
  }

  /** The signing key first. */
  function arrange(): SigningKey[] {
    const now = deps.clock.now();
    const signing = own.findLast((key) => key.signsFrom <= now);
    return signing === undefined ? [] : [signing, ...own.filter((key) => key !== signing)];
  }

  await readOnce();
  return {
    current: async () => {
      const ageMs = deps.clock.now().getTime() - readAtMs;
      if (ageMs >= READ_AGAIN_MS || ageMs < 0) {
        // Keys are created days ahead, so the present ones still work while the database is down.
        await readOnce().catch((error: unknown) => {
          deps.logger.warn({ err: error }, "the keys that sign ID tokens could not be read");
        });
      }
      const keys = arrange();
      if (keys.length === 0) {
        throw new AppError({
          code: "INTERNAL_ERROR",
          publicMessage: "No key can sign right now: the clock of this machine was set back.",
        });
      }
      return keys;
    },
    publicKeys: () => {
      const keys = [...arrange().map((key) => key.publicJwk), ...others];
      const kids = keys.map(({ kid }) => kid).join(" ");
      if (published.kids !== kids) {
        published = { kids, keys };
      }
      return published.keys;
    },
  };
}
