import type { TenantId } from "@turnpike/domain/ids/ids";
import { waitFor } from "#platform/bounded-wait.ts";
import type { Clock } from "#platform/clock.ts";
import type { Logger } from "#platform/logger.ts";
import type { Listen } from "#platform/postgres-listen.ts";
import { createRecordCache } from "#platform/record-cache.ts";
import {
  type AddressedPlace,
  type Cell,
  type CellDirectory,
  CellTakenError,
  DirectorySecretError,
  type OwnCell,
} from "./cell-directory.ts";

/** Where keys live that are not of this cell, from memory as far as possible. */
export interface KeyPlaces {
  readonly cell: string;
  /**
   * @param hash - SHA-256 of the key's text, hexadecimal.
   * @returns Null for a key that no cell has.
   * @throws {AppError} `DIRECTORY_UNAVAILABLE`; `OVERLOADED` when too many ask.
   */
  find(hash: string): Promise<AddressedPlace | null>;
  /** Forgets where a tenant lives: its cell does not have it. */
  forget(tenantId: TenantId): void;
  /** The cells there are, as last heard. */
  cells(): readonly Cell[];
  /** A sentence for people while the directory does not answer. */
  findTrouble(): string | undefined;
  /**
   * Announces this cell and begins to listen; resolves also while the directory is away.
   *
   * @throws {CellTakenError} @throws {DirectorySecretError}
   */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export type KeyPlacesDeps = {
  directory: CellDirectory;
  own: OwnCell;
  /** Subscribes to the channel of the directory. */
  listen: Listen;
  clock: Clock;
  logger: Pick<Logger, "warn" | "info" | "debug">;
};

/** Keys of other cells that this thread remembers, each about 300 bytes. */
const PLACES_MAX = 200_000;
/** Unknown keys remembered, and for how long: a key that was made elsewhere meanwhile is announced, so this only bounds questions. */
const MISSES_MAX = 50_000;
const MISS_TTL_MS = 5_000;
/** A flood of invented keys costs the directory two questions at a time, for a hundred keys each. */
const LOADS_MAX = 2;
const LOADS_WAITING_MAX = 2_000;
const LOAD_WAIT_MS = 2_500;
/** Moves are heard at once by notification, and by this question where notifications are lost. */
const NEWS_INTERVAL_MS = 5_000;
/** A move is in the news for this long, so that one whose commit took its time is not missed. */
const NEWS_SECONDS = 60;
const LISTEN_AGAIN_MS = 1_000;
const SUBSCRIPTION_MS = 30 * 60_000;

/** Remembers where the keys of other cells live, and forgets it when their tenants move. */
export function createKeyPlaces(deps: KeyPlacesDeps): KeyPlaces {
  const { directory, clock, logger } = deps;
  const stopping = new AbortController();
  let cells: ReadonlyMap<string, Cell> = new Map();
  let heardAtMs = Number.NEGATIVE_INFINITY;
  let trouble: string | undefined = "The directory of cells was not reached yet.";
  let running: Promise<unknown> | undefined;

  const cache = createRecordCache<AddressedPlace>({
    load: directory.findPlaces,
    idOf: ({ tenantId }) => tenantId,
    recordsMax: PLACES_MAX,
    missesMax: MISSES_MAX,
    missTtlMs: MISS_TTL_MS,
    loadsMax: LOADS_MAX,
    loadsWaitingMax: LOADS_WAITING_MAX,
    waitMsMax: LOAD_WAIT_MS,
    monotonicMs: clock.monotonicMs,
  });

  async function hearNews(): Promise<void> {
    await directory.announce(deps.own);
    const askedAtMs = clock.monotonicMs();
    const news = await directory.readNews(NEWS_SECONDS);
    cells = new Map(news.cells.map((cell) => [cell.name, cell]));
    if (!news.isComplete || askedAtMs - heardAtMs > (NEWS_SECONDS / 2) * 1_000) {
      cache.clear();
    } else {
      for (const { tenantId } of news.moves) {
        cache.forget(tenantId);
      }
    }
    heardAtMs = askedAtMs;
    if (trouble !== undefined) {
      logger.info({ cells: [...cells.keys()] }, "The directory of cells answers");
    }
    trouble = undefined;
  }

  function noteTrouble(error: unknown): void {
    const isConfigured = error instanceof CellTakenError || error instanceof DirectorySecretError;
    const detail = isConfigured ? error.message : "The directory of cells cannot be reached.";
    if (trouble !== detail) {
      logger.warn({ err: error }, detail);
    }
    trouble = detail;
  }

  const pause = (timeoutMs: number) =>
    waitFor({ heard: new Promise(() => undefined), timeoutMs, signal: stopping.signal });

  async function keepHearing(): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(NEWS_INTERVAL_MS);
      if (!stopping.signal.aborted) {
        await hearNews().catch(noteTrouble);
      }
    }
  }

  /** The driver keeps a subscription open, and what it misses is in the next news; now and then another one is opened all the same. */
  async function keepListening(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const subscription = await deps.listen((payload) => cache.forget(payload));
        // Notifications from before it are lost.
        cache.clear();
        await waitFor({
          heard: new Promise(() => undefined),
          timeoutMs: SUBSCRIPTION_MS,
          signal: stopping.signal,
        });
        await subscription.close();
      } catch (error) {
        logger.debug({ err: error }, "The directory of cells is not listened to yet");
        await pause(LISTEN_AGAIN_MS);
      }
    }
  }

  return {
    cell: directory.cell,
    find: async (hash) => {
      const place = cache.peek(hash) ?? (await cache.get(hash));
      const address = place === null ? undefined : cells.get(place.cell)?.address;
      // A cell may have begun after the last news, or have got another address since the key was looked up.
      return place === null || address === undefined ? place : { ...place, address };
    },
    forget: cache.forget,
    cells: () => [...cells.values()],
    findTrouble: () => trouble,
    async start() {
      await hearNews().catch((error: unknown) => {
        if (error instanceof CellTakenError || error instanceof DirectorySecretError) {
          throw error;
        }
        noteTrouble(error);
      });
      running = Promise.all([keepHearing(), keepListening()]);
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
