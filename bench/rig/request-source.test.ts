import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRequestSource, strideFor } from "./request-source.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-bench-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("createRequestSource", () => {
  it("sends whole requests in turn", () => {
    const next = createRequestSource(["a", "b", "c"]);
    const sent = Array.from({ length: 5 }, (_, index) => next(index).toString());
    expect(sent).toEqual(["a", "b", "c", "a", "b"]);
  });

  it("gives every key of a file its turn before any has a second one, in another order than the file's", async () => {
    const keys = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(4, "0"));
    const keysPath = join(folder, "keys");
    await writeFile(keysPath, keys.join(""));
    const next = createRequestSource({ before: "<", after: ">", keysPath, keyLength: 4 });
    const sent = Array.from({ length: 2_000 }, (_, index) => next(index).toString());
    const round = sent.slice(0, 1_000);
    expect(round.toSorted()).toEqual(keys.map((key) => `<${key}>`));
    expect(round).not.toEqual(keys.map((key) => `<${key}>`));
    expect(sent.slice(1_000)).toEqual(round);
  });

  it("keeps what was sent apart from what is sent next", async () => {
    const keysPath = join(folder, "two");
    await writeFile(keysPath, "aabb");
    const next = createRequestSource({ before: "", after: "", keysPath, keyLength: 2 });
    const first = next(0);
    next(1);
    expect(first.toString()).toBe("aa");
  });

  it("refuses a file that holds no whole number of keys, and nothing to send", async () => {
    const keysPath = join(folder, "odd");
    await writeFile(keysPath, "abc");
    const order = { before: "", after: "", keysPath, keyLength: 2 };
    expect(() => createRequestSource(order)).toThrow("no whole number of keys");
    await writeFile(keysPath, "");
    expect(() => createRequestSource(order)).toThrow("no whole number of keys");
    expect(() => createRequestSource([])).toThrow("nothing to send");
  });
});

describe("strideFor", () => {
  it("visits each of any number of positions once", () => {
    for (const count of [1, 2, 3, 10, 64, 997, 1_000]) {
      const stride = strideFor(count);
      const met = new Set(Array.from({ length: count }, (_, index) => (index * stride) % count));
      expect(met.size).toBe(count);
    }
  });
});
