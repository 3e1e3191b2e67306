import { hkdfSync } from "node:crypto";
import { AppError } from "@turnpike/domain/errors/app-error";
import {
  CompactEncrypt,
  calculateJwkThumbprint,
  compactDecrypt,
  exportJWK,
  generateKeyPair,
  type JWK,
} from "jose";
import { z } from "zod";
import type { AppServices } from "#platform/app-services.ts";
import { StartupError } from "#platform/startup-error.ts";
import {
  deleteSigningKeys,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  type SigningKeyRow,
} from "./signing-keys.store.ts";

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** How long a key signs. */
export const KEY_LIFETIME_MS = 90 * DAY_MS;
/** How long before it signs a key is published: whoever verifies has fetched it by then. */
export const KEY_PUBLISHED_AHEAD_MS = 7 * DAY_MS;
/** How long a key is published after its last signature: tokens live 15 minutes, clocks differ. */
export const KEY_KEPT_MS = HOUR_MS;
/** After so long keys are read again: another process may have made one. */
const READ_AGAIN_MS = 5 * 60 * 1_000;

const ALGORITHM = "ES256";

/** A private key; it stays in memory, and in the database only encrypted. */
export type SigningKey = { kid: string; privateJwk: JWK; publicJwk: JWK; signsFrom: Date };

export interface SigningKeys {
  /** Those to publish, the one that signs now first. Reads and rotates when it is time. */
  current(): Promise<readonly SigningKey[]>;
  /** What was current last, without waiting. */
  publicKeys(): JWK[];
}

export type SigningKeysDeps = Pick<AppServices, "transact" | "clock" | "logger">;

const privateJwkSchema = z.object({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});

function toEncryptionKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", "turnpike signing keys", 32));
}

async function createKey(
  secret: string,
  input: { signsFrom: Date; now: Date },
): Promise<SigningKeyRow & { now: Date }> {
  const pair = await generateKeyPair(ALGORITHM, { extractable: true });
  const { kty, crv, x, y } = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(pair.publicKey);
  const plain = new TextEncoder().encode(JSON.stringify(await exportJWK(pair.privateKey)));
  const jwe = await new CompactEncrypt(plain)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid })
    .encrypt(toEncryptionKey(secret));
  return {
    kid,
    public_jwk: { kty, crv, x, y },
    private_jwe: jwe,
    signs_from: input.signsFrom,
    now: input.now,
  };
}

async function decryptKey(secret: string, row: SigningKeyRow): Promise<SigningKey> {
  const { plaintext } = await compactDecrypt(row.private_jwe, toEncryptionKey(secret), {
    keyManagementAlgorithms: ["dir"],
    contentEncryptionAlgorithms: ["A256GCM"],
  }).catch((error: unknown) => {
    throw new StartupError({
      code: "SECRET_FILE_UNUSABLE",
      message: "The keys that sign sign-ins were encrypted with another secret",
      hint: "Restore the file identity-secret of the secrets folder, or set TURNPIKE_IDENTITY_SECRET as on the other machines",
      cause: error,
    });
  });
  const { kty, crv, x, y, d } = privateJwkSchema.parse(
    JSON.parse(new TextDecoder().decode(plaintext)),
  );
  const shared = { kty, crv, x, y, kid: row.kid, alg: ALGORITHM, use: "sig" };
  return {
    kid: row.kid,
    privateJwk: { ...shared, d },
    publicJwk: shared,
    signsFrom: row.signs_from,
  };
}

/** When the next key signs; a process that was off for long still publishes it ahead. */
function nextSignsFrom(current: SigningKeyRow, now: Date): Date {
  const plannedMs = current.signs_from.getTime() + KEY_LIFETIME_MS;
  const soonestMs = now.getTime() + KEY_PUBLISHED_AHEAD_MS;
  return new Date(Math.max(plannedMs, soonestMs));
}

/** The last of the keys, in order, whose time has come. */
function findSigning<Key extends { signs_from: Date }>(keys: readonly Key[], now: Date) {
  return keys.findLast((key) => key.signs_from <= now);
}

/** Makes what is missing, deletes what no token needs any more. @returns The rest, in the order in which they sign. */
async function rotate(deps: SigningKeysDeps, secret: string): Promise<SigningKeyRow[]> {
  return await deps.transact.asOperator(async (tx) => {
    await lockSigningKeys(tx);
    const now = deps.clock.now();
    const keys = await listSigningKeys(tx);
    const signing = findSigning(keys, now);
    const newest = keys.at(-1);
    const isNextDue =
      signing !== undefined &&
      newest === signing &&
      now.getTime() >= signing.signs_from.getTime() + KEY_LIFETIME_MS - KEY_PUBLISHED_AHEAD_MS;
    if (signing === undefined || isNextDue) {
      const signsFrom = signing === undefined ? now : nextSignsFrom(signing, now);
      const made = await createKey(secret, { signsFrom, now });
      await insertSigningKey(tx, made);
      keys.push(made);
      keys.sort((a, b) => a.signs_from.getTime() - b.signs_from.getTime());
    }
    const needed = keys.filter((_key, index) => {
      const replacedAt = keys[index + 1]?.signs_from;
      return replacedAt === undefined || replacedAt.getTime() + KEY_KEPT_MS > now.getTime();
    });
    const done = keys.filter((key) => !needed.includes(key));
    if (done.length > 0) {
      await deleteSigningKeys(
        tx,
        done.map((key) => key.kid),
      );
    }
    return needed;
  });
}

/**
 * Opens the keys that sign ID tokens, making the first one. Of several processes that start at once all get the same.
 *
 * @param secret - What the private keys are encrypted with; at least 32 characters.
 * @throws {StartupError} `SECRET_FILE_UNUSABLE` when the keys were encrypted with another secret.
 */
export async function openSigningKeys(deps: SigningKeysDeps, secret: string): Promise<SigningKeys> {
  const known = new Map<string, SigningKey>();
  let inOrder: SigningKey[] = [];
  let readAtMs = 0;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const rows = await rotate(deps, secret);
    const keys: SigningKey[] = [];
    for (const row of rows) {
      keys.push(known.get(row.kid) ?? (await decryptKey(secret, row)));
    }
    known.clear();
    for (const key of keys) {
      known.set(key.kid, key);
    }
    inOrder = keys;
  }

  function readOnce(): Promise<void> {
    reading ??= read().finally(() => {
      // Also when it failed: not every call waits for a database that is away.
      readAtMs = deps.clock.now().getTime();
      reading = undefined;
    });
    return reading;
  }

  /** The one that signs now first. */
  function arrange(): SigningKey[] {
    const now = deps.clock.now();
    const signing = inOrder.findLast((key) => key.signsFrom <= now);
    return signing === undefined ? [] : [signing, ...inOrder.filter((key) => key !== signing)];
  }

  await readOnce();
  return {
    current: async () => {
      const ageMs = deps.clock.now().getTime() - readAtMs;
      if (ageMs >= READ_AGAIN_MS || ageMs < 0) {
        // Keys are made days ahead: when the database is away, those at hand still do.
        await readOnce().catch((error: unknown) => {
          deps.logger.warn({ err: error }, "The keys that sign sign-ins cannot be read");
        });
      }
      const keys = arrange();
      if (keys.length === 0) {
        throw new AppError({
          code: "INTERNAL_ERROR",
          publicMessage: "No key signs at this time: the clock of this machine was set back.",
        });
      }
      return keys;
    },
    publicKeys: () => arrange().map((key) => key.publicJwk),
  };
}
