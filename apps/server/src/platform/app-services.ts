import type { NewId } from "@turnpike/domain/ids/ids";
import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";
import type { Transact } from "./transact.ts";

/** What nearly every use case needs; modules add their own ports to it. */
export type AppServices = {
  transact: Transact;
  clock: Clock;
  newId: NewId;
  logger: Logger;
  /** Bytes from a cryptographic source. */
  randomBytes(count: number): Uint8Array;
};
