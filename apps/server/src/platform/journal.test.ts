import { execFileSync } from "node:child_process";
import { appendFile, mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { openJournal, readLeftBehind } from "./journal.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) {
    await cleanup();
  }
});

async function makeFolder(): Promise<string> {
  const folder = await makeTempFolder();
  cleanups.push(() => folder[Symbol.asyncDispose]());
  return join(folder.path, "journal");
}

async function replay(folder: string): Promise<string[]> {
  const leftBehind = await readLeftBehind(folder);
  const records: string[] = [];
  for await (const batch of leftBehind.records) {
    records.push(...batch.map(String));
  }
  return records;
}

async function segmentFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).sort();
}

describe("journal", () => {
  it("gives back every record of a process that was killed, in order", async () => {
    const folder = await makeFolder();
    const journal = await openJournal({ folder, segmentBytes: 100 });
    const texts = Array.from({ length: 50 }, (_, index) => `record ${String(index)}`);
    for (const text of texts) {
      await journal.append(Buffer.from(text)).durable;
    }
    expect((await segmentFiles(folder)).length).toBeGreaterThan(5);
    expect(await replay(folder)).toEqual(texts);
    await journal.close();
  });

  it("has the disk write down at once all that came while it was busy, and says so of each segment", async () => {
    const folder = await makeFolder();
    const journal = await openJournal({ folder, segmentBytes: 100 });
    const texts = Array.from({ length: 40 }, (_, index) => `record ${String(index)}`);
    const written = texts.map((text) => journal.append(Buffer.from(text)));
    const segments = new Set(written.map(({ position }) => position.segment)).size;
    expect(segments).toBeGreaterThan(2);
    // The first of a segment has one to itself: the others may have come after it began.
    expect(new Set(written.map(({ durable }) => durable)).size).toBe(2 * segments);
    await Promise.all(written.map(({ durable }) => durable));
    // Nothing runs any more: the next is not waited for in vain.
    await journal.append(Buffer.from("late")).durable;
    expect(await replay(folder)).toEqual([...texts, "late"]);
    await journal.close();
  });

  it("reads a record again by its position until it is released", async () => {
    const folder = await makeFolder();
    const journal = await openJournal({ folder, segmentBytes: 10 });
    const first = journal.append(Buffer.from("first"));
    const second = journal.append(Buffer.from("second"));
    await Promise.all([first.durable, second.durable]);
    expect(journal.read(first.position).toString()).toBe("first");
    journal.release(first.position);
    expect(journal.read(second.position).toString()).toBe("second");
    await journal.close();
  });

  it("deletes a segment when all its records are released, and nothing before", async () => {
    const folder = await makeFolder();
    const journal = await openJournal({ folder, segmentBytes: 20 });
    const positions = ["a", "b", "c", "d", "e", "f"].map(
      (text) => journal.append(Buffer.from(text.repeat(8))).position,
    );
    expect(new Set(positions.map((position) => position.segment)).size).toBe(3);
    for (const position of positions.slice(0, 3)) {
      journal.release(position);
    }
    await journal.close();
    // The last record of the second segment and the whole third are still held.
    expect(await replay(folder)).toEqual(["c", "d", "e", "f"].map((text) => text.repeat(8)));
  });

  it("leaves nothing behind when everything is released before it closes", async () => {
    const folder = await makeFolder();
    const journal = await openJournal({ folder, segmentBytes: 1_000 });
    journal.release(journal.append(Buffer.from("done")).position);
    await journal.close();
    expect(await segmentFiles(folder)).toEqual([]);
  });

  it("takes nothing after it was closed, when its descriptor may be another file's", async () => {
    const folder = await makeFolder();
    const journal = await openJournal({ folder, segmentBytes: 1_000 });
    await journal.close();
    expect(() => journal.append(Buffer.from("late"))).toThrow("closed");
  });

  it("hands out no record that was damaged since it was written", async () => {
    const folder = await makeFolder();
    const journal = await openJournal({ folder, segmentBytes: 1_000 });
    const { position, durable } = journal.append(Buffer.from("as written"));
    await durable;
    const [name = ""] = await segmentFiles(folder);
    const bytes = await readFile(join(folder, name));
    bytes[position.offset] = 0;
    await writeFile(join(folder, name), bytes);
    expect(() => journal.read(position)).toThrow("damaged");
    await journal.close();
  });

  it("drops the torn last record of a crash and keeps all before it, wherever it is torn", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 8 }),
        fc.nat(),
        async (records, cut) => {
          const folder = await makeFolder();
          const journal = await openJournal({ folder, segmentBytes: 1_000_000 });
          const ends = records.map((record) => {
            const { position } = journal.append(Buffer.from(record));
            return position.offset + position.length;
          });
          const [name] = await segmentFiles(folder);
          const path = join(folder, name ?? "");
          const length = cut % ((ends.at(-1) ?? 0) + 1);
          await truncate(path, length);
          const whole = ends.filter((end) => end <= length).length;
          const kept: Buffer[] = [];
          const leftBehind = await readLeftBehind(folder);
          for await (const batch of leftBehind.records) {
            kept.push(...batch);
          }
          expect(kept).toEqual(records.slice(0, whole).map((record) => Buffer.from(record)));
          expect((await leftBehind.discard()).damaged).toEqual([]);
          await journal.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it("sets aside a segment that is damaged in the middle, after reading what comes before", async () => {
    const folder = await makeFolder();
    const journal = await openJournal({ folder, segmentBytes: 10 });
    for (const text of ["first", "second", "third"]) {
      await journal.append(Buffer.from(text)).durable;
    }
    const files = await segmentFiles(folder);
    const damagedPath = join(folder, files[0] ?? "");
    const bytes = await readFile(damagedPath);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await writeFile(damagedPath, bytes);

    const leftBehind = await readLeftBehind(folder);
    const records: string[] = [];
    for await (const batch of leftBehind.records) {
      records.push(...batch.map(String));
    }
    expect(records).toEqual(["second", "third"]);
    expect((await leftBehind.discard()).damaged).toEqual([damagedPath]);
    expect(await segmentFiles(folder)).toEqual([`${files[0] ?? ""}.damaged`]);
    await journal.close();
  });

  it("refuses to take absurd lengths for records", async () => {
    const folder = await makeFolder();
    await mkdir(folder, { recursive: true });
    await appendFile(join(folder, "0000000001.journal"), Buffer.alloc(64, 0xff));
    expect(await replay(folder)).toEqual([]);
  });

  it.skipIf(process.getuid?.() !== 0)(
    "says that a full disk refuses, and goes on whole when there is room again",
    async () => {
      const folder = await makeFolder();
      await mkdir(folder, { recursive: true });
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]);
      cleanups.push(() => execFileSync("umount", ["-l", folder]));
      const journal = await openJournal({ folder, segmentBytes: 1_000_000 });
      const ballast = join(folder, "ballast");
      await writeFile(ballast, Buffer.alloc(40 * 1024));
      const kept: string[] = [];
      let refusals = 0;
      for (let index = 0; index < 40; index += 1) {
        const text = `${String(index)} ${"x".repeat(1_000)}`;
        try {
          await journal.append(Buffer.from(text)).durable;
          kept.push(text);
        } catch {
          refusals += 1;
          await truncate(ballast, 0);
        }
      }
      expect(refusals).toBeGreaterThan(0);
      expect(await replay(folder)).toEqual(kept);
      await journal.close();
    },
  );
});
