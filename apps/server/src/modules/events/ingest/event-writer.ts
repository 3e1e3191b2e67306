import { isDataError, isRetryableError } from "@turnpike/db/database-errors";
import type { NewId } from "@turnpike/domain/ids/ids";
import type { Transact } from "#platform/transact.ts";
import { recordEvents } from "../events.store.ts";
import type { EventRow } from "./event-row.ts";

/** Events of one request that are written together. */
export type Parcel = {
  /** The sender of the request. Senders take turns, so a busy one waits behind its own events. */
  sender: string;
  rows: readonly EventRow[];
  /** The revision of the meters that measured them. */
  revision: bigint;
};

/** By index of the event: true if it was recorded before. */
export type WrittenParcel = readonly boolean[] | "stale";

type Waiting = Parcel & {
  resolve: (written: WrittenParcel) => void;
  reject: (error: unknown) => void;
};

/** Events in one statement: enough to make its fixed cost negligible, few enough to keep everyone's wait short. */
export const ROWS_IN_ONE_GO = 1_000;
/** Concurrent statements. More would only wait for each other's rollups. */
const WRITERS = 2;
const ATTEMPTS = 3;

/**
 * Writes events, and answers when they are committed. Events that wait meanwhile are committed together, so that many small
 * requests cost about as much as a few large ones. Each request still gets its own answer, and an event in two of them is new only
 * once. Senders take turns, so that none waits behind everything another has sent.
 */
export class EventWriter {
  readonly #deps: { transact: Transact; newId: NewId };
  /** By sender, the next one first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #writers = 0;

  constructor(deps: { transact: Transact; newId: NewId }) {
    this.#deps = deps;
  }

  /** @param parcel - At most {@link ROWS_IN_ONE_GO} rows. */
  write(parcel: Parcel): Promise<WrittenParcel> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(parcel.sender);
      const added = { ...parcel, resolve, reject };
      if (waiting === undefined) {
        this.#waiting.set(parcel.sender, [added]);
      } else {
        waiting.push(added);
      }
      this.#start();
    });
  }

  #start(): void {
    while (this.#writers < WRITERS && this.#waiting.size > 0) {
      const parcels = this.#take();
      this.#writers += 1;
      void this.#writeTogether(parcels).finally(() => {
        this.#writers -= 1;
        this.#start();
      });
    }
  }

  /** Takes the next parcel of each sender in turn, all of one revision, up to the size of one statement. */
  #take(): Waiting[] {
    const taken: Waiting[] = [];
    let rows = 0;
    // A sender that the loop adds again comes up again at the end.
    for (const [sender, waiting] of this.#waiting) {
      const [parcel] = waiting;
      const revision = taken[0]?.revision ?? parcel?.revision;
      rows += parcel?.rows.length ?? 0;
      if (
        parcel === undefined ||
        parcel.revision !== revision ||
        (taken.length > 0 && rows > ROWS_IN_ONE_GO)
      ) {
        break;
      }
      taken.push(parcel);
      waiting.shift();
      this.#waiting.delete(sender);
      if (waiting.length > 0) {
        this.#waiting.set(sender, waiting);
      }
    }
    return taken;
  }

  async #writeTogether(parcels: readonly Waiting[]): Promise<void> {
    try {
      const written = await this.#record(parcels);
      for (const [place, parcel] of parcels.entries()) {
        parcel.resolve(written === "stale" ? "stale" : (written[place] ?? []));
      }
    } catch (error) {
      if (parcels.length > 1 && isDataError(error)) {
        // If the database refuses one request's events, the others must not fail with it.
        for (const parcel of parcels) {
          await this.#writeTogether([parcel]);
        }
        return;
      }
      for (const { reject } of parcels) {
        reject(error);
      }
    }
  }

  async #record(parcels: readonly Waiting[]): Promise<boolean[][] | "stale"> {
    const places = new Map<string, number>();
    const rows: EventRow[] = [];
    const isFirst = parcels.map((parcel) =>
      parcel.rows.map((row) => {
        if (places.has(row.hash)) {
          return false;
        }
        places.set(row.hash, rows.length);
        rows.push(row);
        return true;
      }),
    );
    const known = await this.#commit(rows, parcels[0]?.revision ?? 0n);
    return known === "stale"
      ? "stale"
      : parcels.map((parcel, place) =>
          parcel.rows.map(
            (row, index) =>
              isFirst[place]?.[index] !== true || known.has(places.get(row.hash) ?? -1),
          ),
        );
  }

  async #commit(rows: readonly EventRow[], revision: bigint): ReturnType<typeof recordEvents> {
    const batchId = this.#deps.newId("group");
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#deps.transact.asMeter((tx) =>
          recordEvents(tx, { batchId, revision, rows }),
        );
      } catch (error) {
        if (!isRetryableError(error) || attempt === ATTEMPTS) {
          throw error;
        }
      }
    }
  }
}
