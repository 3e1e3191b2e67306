import { closeSync, fdatasync, fsyncSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";

/** Where a record stands, so that it can be read again and given back. */
export type JournalPosition = { segment: number; offset: number; length: number };

export type Journal = {
  /**
   * Writes a record. It survives the death of the process as soon as this returns, and the loss of power once `durable`
   * has resolved. Throws when the disk refuses (full, read-only): nothing was kept then.
   */
  append(record: Buffer): { position: JournalPosition; durable: Promise<void> };
  read(position: JournalPosition): Buffer;
  /** Says that the record is safe elsewhere. A segment whose records are all released is deleted. */
  release(position: JournalPosition): void;
  close(): Promise<void>;
};

const SEGMENT_NAME = /^(\d{10})\.journal$/;
const HEADER_BYTES = 8;
/** Longer records are taken for damage. */
const RECORD_BYTES_MAX = 64 * 1024 * 1024;

type Segment = {
  number: number;
  fd: number;
  size: number;
  held: number;
  /** The data sync that runs, and the one that follows it for what is written meanwhile. */
  sync: Promise<void> | undefined;
  nextSync: Promise<void> | undefined;
};

function segmentPath(folder: string, segment: number): string {
  return join(folder, `${String(segment).padStart(10, "0")}.journal`);
}

async function listSegments(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names
    .map((name) => SEGMENT_NAME.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Reads whole records up to the first that is torn or damaged; `goodBytes` tells where that is. */
function parseSegment(bytes: Buffer): { records: Buffer[]; goodBytes: number } {
  const records: Buffer[] = [];
  let offset = 0;
  while (offset + HEADER_BYTES <= bytes.length) {
    const length = bytes.readUInt32LE(offset);
    const end = offset + HEADER_BYTES + length;
    if (length === 0 || length > RECORD_BYTES_MAX || end > bytes.length) {
      break;
    }
    const record = bytes.subarray(offset + HEADER_BYTES, end);
    if (crc32(record) !== bytes.readUInt32LE(offset + 4)) {
      break;
    }
    records.push(record);
    offset = end;
  }
  return { records, goodBytes: offset };
}

export type LeftBehind = {
  /** In the order of writing. */
  records: AsyncIterable<Buffer[]>;
  segments: number;
  /** Deletes what was read, once it is safe elsewhere; damaged segments are set aside as `*.damaged`. */
  discard(): Promise<{ damaged: string[] }>;
};

/**
 * Opens what an earlier process left in the folder. The torn last record of a crash is normal and dropped; anything after
 * damage in the middle of a segment cannot be trusted, so the segment is kept aside for a person to look at.
 */
export async function readLeftBehind(folder: string): Promise<LeftBehind> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const segments = await listSegments(folder);
  const last = segments.at(-1);
  const damaged: string[] = [];

  async function* readAll(): AsyncIterable<Buffer[]> {
    for (const segment of segments) {
      const bytes = await readFile(segmentPath(folder, segment));
      const { records, goodBytes } = parseSegment(bytes);
      if (goodBytes < bytes.length && segment !== last) {
        damaged.push(segmentPath(folder, segment));
      }
      yield records;
    }
  }

  return {
    records: readAll(),
    segments: segments.length,
    discard: async () => {
      for (const segment of segments) {
        const path = segmentPath(folder, segment);
        if (damaged.includes(path)) {
          await rename(path, `${path}.damaged`);
        } else {
          await rm(path, { force: true });
        }
      }
      await syncFolder(folder);
      return { damaged };
    },
  };
}

/**
 * Opens a journal for writing: a folder of append-only segments. Each record is its length and CRC-32 (little-endian, four
 * bytes each) and its bytes. Left-behind segments must have been read and discarded before.
 *
 * @param segmentBytes - A new segment begins when one is larger than this.
 */
export async function openJournal(input: {
  folder: string;
  segmentBytes: number;
}): Promise<Journal> {
  await mkdir(input.folder, { recursive: true, mode: 0o700 });
  const existing = await listSegments(input.folder);
  const segments = new Map<number, Segment>();
  const syncs = new Set<Promise<void>>();
  const drops = new Set<Promise<void>>();
  let isClosed = false;
  let current = startSegment((existing.at(-1) ?? 0) + 1);

  function startSegment(number: number): Segment {
    const path = segmentPath(input.folder, number);
    const fd = openSync(path, "wx+", 0o600);
    try {
      const folderFd = openSync(input.folder, "r");
      try {
        fsyncSync(folderFd);
      } finally {
        closeSync(folderFd);
      }
    } catch (error) {
      // The next attempt makes the file again.
      closeSync(fd);
      rmSync(path, { force: true });
      throw error;
    }
    const segment = { number, fd, size: 0, held: 0, sync: undefined, nextSync: undefined };
    segments.set(number, segment);
    return segment;
  }

  function dropIfDone(segment: Segment): void {
    if (segment === current || segment.held > 0 || !segments.delete(segment.number)) {
      return;
    }
    // A data sync may still use the descriptor.
    const drop = Promise.allSettled([...syncs]).then(async () => {
      closeSync(segment.fd);
      // One that stays is read again at the next start, where each of its groups is known to be committed.
      await rm(segmentPath(input.folder, segment.number), { force: true }).catch(() => undefined);
      drops.delete(drop);
    });
    drops.add(drop);
  }

  function track(sync: Promise<void>): Promise<void> {
    syncs.add(sync);
    const forget = () => syncs.delete(sync);
    sync.then(forget, forget);
    return sync;
  }

  function startSync(segment: Segment): Promise<void> {
    const sync = new Promise<void>((resolve, reject) => {
      fdatasync(segment.fd, (error) => (error === null ? resolve() : reject(error)));
    });
    segment.sync = sync;
    segment.nextSync = undefined;
    const end = () => {
      segment.sync = undefined;
    };
    sync.then(end, end);
    return sync;
  }

  /** Syncs what was written so far. One at a time: a slow disk would else keep the threads of the process busy with them. */
  function syncSegment(segment: Segment): Promise<void> {
    if (segment.sync === undefined) {
      return track(startSync(segment));
    }
    if (segment.nextSync === undefined) {
      // The one that runs may have begun before this was written; its failure is not that of the next.
      const start = () => startSync(segment);
      segment.nextSync = track(segment.sync.then(start, start));
    }
    return segment.nextSync;
  }

  function writeWhole(segment: Segment, bytes: Buffer): void {
    let written = 0;
    while (written < bytes.length) {
      written += writeSync(
        segment.fd,
        bytes,
        written,
        bytes.length - written,
        segment.size + written,
      );
    }
  }

  return {
    append: (record) => {
      if (isClosed) {
        // Its descriptor may be another file's or connection's by now.
        throw new Error("The journal is closed.");
      }
      if (current.size >= input.segmentBytes) {
        const full = current;
        current = startSegment(full.number + 1);
        dropIfDone(full);
      }
      const segment = current;
      const bytes = Buffer.allocUnsafe(HEADER_BYTES + record.length);
      bytes.writeUInt32LE(record.length, 0);
      bytes.writeUInt32LE(crc32(record), 4);
      record.copy(bytes, HEADER_BYTES);
      // A failed write leaves `size` as it was, so that the next record overwrites the torn one.
      writeWhole(segment, bytes);
      const position = {
        segment: segment.number,
        offset: segment.size + HEADER_BYTES,
        length: record.length,
      };
      segment.size += bytes.length;
      segment.held += 1;
      return { position, durable: syncSegment(segment) };
    },
    read: (position) => {
      const segment = segments.get(position.segment);
      if (segment === undefined) {
        throw new Error("The segment of this journal position was released.");
      }
      const bytes = Buffer.alloc(HEADER_BYTES + position.length);
      readSync(segment.fd, bytes, 0, bytes.length, position.offset - HEADER_BYTES);
      const [record] = parseSegment(bytes).records;
      if (record === undefined) {
        throw new Error("The record at this journal position is damaged.");
      }
      return record;
    },
    release: (position) => {
      const segment = segments.get(position.segment);
      if (segment !== undefined) {
        segment.held -= 1;
        dropIfDone(segment);
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled([...syncs, ...drops]);
      for (const segment of segments.values()) {
        closeSync(segment.fd);
        if (segment.held === 0) {
          await rm(segmentPath(input.folder, segment.number), { force: true });
        }
      }
      segments.clear();
    },
  };
}
