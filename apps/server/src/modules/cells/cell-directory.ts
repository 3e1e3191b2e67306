import { createHmac, hkdfSync } from "node:crypto";
import type { ConnectionTarget, Tx } from "@turnpike/db/client";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { TenantId } from "@turnpike/domain/ids/ids";
import type { CellEntries } from "#platform/app-services.ts";
import { withTimeout } from "#platform/bounded-wait.ts";
import { type Clock, systemClock } from "#platform/clock.ts";
import { openPlainPostgres } from "#platform/plain-postgres.ts";
import {
  type CellRow,
  changeTenantPlace,
  deleteKeyPlaces,
  deleteTenantPlace,
  ensureDirectorySchema,
  findPlacesOfKeys,
  findTenantPlace,
  findTenantPlaces,
  insertKeyPlaces,
  insertTenantPlace,
  listCells,
  listRecentMoves,
  proveSecret,
  type TenantPlace,
  upsertCell,
} from "./directory.store.ts";

export type DirectorySettings = {
  /** The PostgreSQL that all cells reach. */
  target: ConnectionTarget;
  /** Shared by all cells, at least 32 characters. */
  secret: string;
  /** Name of this cell. */
  cell: string;
  /** How long an answer may take; two seconds unless given. */
  answerMs?: number;
};

/** This cell as the others reach it. */
export type OwnCell = Pick<CellRow, "address" | "consoleUrl" | "gatewayUrl"> & {
  /** Equal on all nodes of the cell, and on none of another; the directory keeps a keyed hash of it. */
  identity: string;
};

/** A cell with addresses that it entered itself. */
export type Cell = Omit<CellRow, "signature">;

/** Where the tenant of a key lives, and how its cell is reached; null for a cell that never said so. */
export type AddressedPlace = TenantPlace & { address: string | null };

/** What changed lately, and the cells there are. */
export type DirectoryNews = { cells: Cell[]; moves: TenantPlace[]; isComplete: boolean };

/**
 * Where tenants and their keys live. Everything that asks the directory fails within seconds while it is away, with `DIRECTORY_UNAVAILABLE`.
 */
export interface CellDirectory extends CellEntries {
  readonly cell: string;
  /** Notes a sign of life of this cell. @throws {CellTakenError} when another one has its name. */
  announce(own: OwnCell): Promise<void>;
  listCells(): Promise<Cell[]>;
  findTenant(tenantId: TenantId): Promise<TenantPlace | undefined>;
  /** The same of several; unknown ones are left out. */
  findTenants(tenantIds: readonly TenantId[]): Promise<TenantPlace[]>;
  /**
   * Changes where a tenant lives, or that it moves, if the directory still has it at `place.version`. All nodes forget what they
   * knew of it.
   *
   * @returns What the directory says now; undefined when it has another version, or does not know the tenant.
   */
  changeTenant(place: TenantPlace): Promise<TenantPlace | undefined>;
  /** Removes keys of a tenant, by their hashes (hexadecimal). */
  dropKeys(tenantId: TenantId, hashes: readonly string[]): Promise<void>;
  /** Removes a tenant of this cell with all its keys. @returns False when it was not there, or lives elsewhere. */
  dropTenant(tenantId: TenantId): Promise<boolean>;
  /** Where the tenants of keys live, by the hashes of the keys; unknown ones are left out. */
  findPlaces(hashes: readonly string[]): Promise<Map<string, AddressedPlace>>;
  /** Runs statements of the stores of the directory. @throws {AppError} `DIRECTORY_UNAVAILABLE`. */
  ask<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** By what the directory knows a key, hexadecimal. @param hash - SHA-256 of its text, hexadecimal. */
  toLookup(hash: string): string;
  /** @param seconds - How far back. */
  readNews(seconds: number): Promise<DirectoryNews>;
  close(): Promise<void>;
}

/** The name of this cell is taken by another one that runs. */
export class CellTakenError extends Error {
  override readonly name = "CellTakenError";
}

/** The directory was made by cells with another secret. */
export class DirectorySecretError extends Error {
  override readonly name = "DirectorySecretError";
}

const KEY_BYTES = 32;
const CONNECTIONS_MAX = 4;
/** No call and no person waits longer for it. */
const ANSWER_MS = 2_000;
/** After a failure it is not asked for this long, and every caller meanwhile has the answer at once. */
const AWAY_MS = 1_000;
/** More moves than this are not told apart: what is known of tenants is forgotten as a whole. */
const MOVES_MAX = 1_000;

/** Derives a key for one purpose from the secret that the cells share. */
export function deriveCellsKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `turnpike cells: ${purpose}`, KEY_BYTES));
}

function unavailable(cause?: unknown): AppError {
  return new AppError({
    code: "DIRECTORY_UNAVAILABLE",
    publicMessage: "The directory of cells cannot be reached. Try again in a moment.",
    headers: { "retry-after": "2" },
    cause,
  });
}

/** Opens the directory. Nothing is sent yet; its schema is made when it is first reached. */
export function openCellDirectory(
  settings: DirectorySettings,
  { monotonicMs }: Pick<Clock, "monotonicMs"> = systemClock,
): CellDirectory {
  const { cell, secret, answerMs = ANSWER_MS } = settings;
  const lookupKey = deriveCellsKey(secret, "keys");
  const proof = createHmac("sha256", deriveCellsKey(secret, "proof")).update("proof").digest();
  const ownerKey = deriveCellsKey(secret, "owner of a cell");
  const addressKey = deriveCellsKey(secret, "addresses of cells");
  const postgres = openPlainPostgres(settings.target, {
    applicationName: "turnpike-directory",
    connectionsMax: CONNECTIONS_MAX,
    timeoutMs: answerMs,
  });
  let isPrepared = false;
  let awayUntilMs = Number.NEGATIVE_INFINITY;

  async function prepare(tx: Tx): Promise<void> {
    await ensureDirectorySchema(tx);
    if (!(await proveSecret(tx, proof))) {
      throw new DirectorySecretError("The directory was made with another TURNPIKE_CELLS_SECRET.");
    }
  }

  async function ask<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    if (monotonicMs() < awayUntilMs) {
      throw unavailable();
    }
    const wasPrepared = isPrepared;
    try {
      const answer = postgres.transact(async (tx) => {
        if (!wasPrepared) {
          await prepare(tx);
        }
        return await work(tx);
      });
      const result = await withTimeout(answer, answerMs);
      isPrepared = true;
      return result;
    } catch (error) {
      if (error instanceof CellTakenError || error instanceof DirectorySecretError) {
        throw error;
      }
      // Its schema may be gone, as after it was restored.
      isPrepared = false;
      awayUntilMs = monotonicMs() + AWAY_MS;
      throw unavailable(error);
    }
  }

  function signAddresses(
    of: Pick<CellRow, "name" | "address" | "consoleUrl" | "gatewayUrl">,
  ): Buffer {
    const signed = [of.name, of.address, of.consoleUrl, of.gatewayUrl].join("\n");
    return createHmac("sha256", addressKey).update(signed).digest();
  }

  /** Without those whose addresses something else than a cell has written. */
  async function listSignedCells(tx: Tx): Promise<Cell[]> {
    const rows = await listCells(tx);
    return rows.flatMap(({ signature, ...row }) =>
      signAddresses(row).equals(signature) ? [row] : [],
    );
  }

  const toLookup = (hash: string) => createHmac("sha256", lookupKey).update(hash).digest("hex");

  return {
    cell,
    ask,
    toLookup,
    announce: (own) =>
      ask(async (tx) => {
        const { identity, ...addresses } = own;
        const owner = createHmac("sha256", ownerKey).update(identity).digest();
        const row = { name: cell, ...addresses };
        if (!(await upsertCell(tx, { ...row, owner, signature: signAddresses(row) }))) {
          throw new CellTakenError(`Another cell is named ${cell}.`);
        }
      }),
    listCells: () => ask(listSignedCells),
    findTenant: (tenantId) => ask((tx) => findTenantPlace(tx, tenantId)),
    findTenants: (tenantIds) => ask((tx) => findTenantPlaces(tx, tenantIds)),
    changeTenant: (place) => ask((tx) => changeTenantPlace(tx, place)),
    admitTenant: (tenantId) => ask((tx) => insertTenantPlace(tx, { tenantId, cell })),
    admitKeys: (tenantId, hashes) =>
      ask(async (tx) => {
        const byLookup = new Map(hashes.map((hash) => [toLookup(hash), hash]));
        // It may be older than the directory.
        await insertTenantPlace(tx, { tenantId, cell });
        const foreign = await insertKeyPlaces(tx, { tenantId, lookups: [...byLookup.keys()] });
        return new Set(foreign.flatMap((lookup) => byLookup.get(lookup) ?? []));
      }),
    dropKeys: (tenantId, hashes) =>
      ask((tx) => deleteKeyPlaces(tx, { tenantId, lookups: hashes.map(toLookup) })),
    dropTenant: (tenantId) => ask((tx) => deleteTenantPlace(tx, { tenantId, cell })),
    findPlaces: async (hashes) => {
      const byLookup = new Map(hashes.map((hash) => [toLookup(hash), hash]));
      const { found, cells } = await ask(async (tx) => ({
        found: await findPlacesOfKeys(tx, [...byLookup.keys()]),
        cells: new Map((await listSignedCells(tx)).map((each) => [each.name, each.address])),
      }));
      return new Map(
        [...found].map(([lookup, place]) => [
          byLookup.get(lookup) ?? "",
          { ...place, address: cells.get(place.cell) ?? null },
        ]),
      );
    },
    readNews: (seconds) =>
      ask(async (tx) => {
        const moves = await listRecentMoves(tx, { seconds, limit: MOVES_MAX });
        return { cells: await listSignedCells(tx), moves, isComplete: moves.length < MOVES_MAX };
      }),
    close: () => postgres.close(),
  };
}
