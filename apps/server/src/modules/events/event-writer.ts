import { isDataError, isRetryableError } from "@turnpike/db/database-errors";
import type { NewId } from "@turnpike/domain/ids/ids";
import type { Transact } from "#platform/transact.ts";
import type { EventRow } from "./event-row.ts";
import { recordEvents } from "./events.store.ts";

/** Events of one request that are written together. */
export type Parcel = {
  /** Whose request it is: who sends much waits for itself. */
  sender: string;
  rows: readonly EventRow[];
  /** Of the meters that measured them. */
  revision: bigint;
};

/** By the place of the event: true for one that was recorded before. */
export type WrittenParcel = readonly boolean[] | "stale";

type Waiting = Parcel & {
  resolve: (written: WrittenParcel) => void;
  reject: (error: unknown) => void;
};

/** Events that one statement records: enough that its fixed cost does not show, few enough that nobody waits long for it. */
export const ROWS_IN_ONE_GO = 1_000;
/** Statements under way at once: more only wait for each other's rollups. */
const WRITERS = 2;
const ATTEMPTS = 3;

/**
 * Writes events, and answers when they are committed. What waits meanwhile is committed together, so that many small requests
 * cost about as much as a few large ones; each is still answered by itself, and an event that two of them hold is new once.
 * Senders take turns, so that nobody waits behind all that another one sent.
 */
export class EventWriter {
  readonly #deps: { transact: Transact; newId: NewId };
  /** By sender, the one whose turn it is first. */
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

  /** The next parcel of each sender in turn, as many as one statement can hold, of one revision. */
  #take(): Waiting[] {
    const taken: Waiting[] = [];
    let rows = 0;
    // A sender that is added again in the loop is met again at its end.
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
        // What the database refuses of one request must not fail its neighbours.
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
