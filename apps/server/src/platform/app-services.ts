import type { NewId, TenantId } from "@turnpike/domain/ids/ids";
import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";
import type { Transact } from "./transact.ts";

/**
 * Enters in the directory of cells what is about to be made here. It comes before the commit, so that a key works at every cell as
 * soon as a person has it; an entry of what was not made after all does no harm.
 */
export interface CellEntries {
  /** @throws {AppError} `DIRECTORY_UNAVAILABLE`. */
  admitTenant(tenantId: TenantId): Promise<void>;
  /**
   * @param hashes - SHA-256 of the texts of the keys, hexadecimal.
   * @returns Those of keys that another tenant has, in any cell.
   * @throws {AppError} `DIRECTORY_UNAVAILABLE`.
   */
  admitKeys(tenantId: TenantId, hashes: readonly string[]): Promise<ReadonlySet<string>>;
}

/** What nearly every use case needs; modules add their own ports to it. */
export type AppServices = {
  transact: Transact;
  clock: Clock;
  newId: NewId;
  logger: Logger;
  /** Bytes from a cryptographic source. */
  randomBytes(count: number): Uint8Array;
  /** Undefined where this installation is no cell of several. */
  cellEntries?: CellEntries | undefined;
};
