import { describe, expect, it } from "vitest";
import { InputFileError } from "./input-file-error.ts";
import { type FileRow, readImportFile } from "./read-import-file.ts";

async function read(text: string, pieceLength = 7): Promise<FileRow[]> {
  async function* pieces() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += pieceLength) {
      yield await Promise.resolve(bytes.subarray(at, at + pieceLength));
    }
  }
  const rows: FileRow[] = [];
  for await (const row of readImportFile(pieces())) {
    rows.push(row);
  }
  return rows;
}

describe("a CSV of keys", () => {
  it("is read by the names in its first line, with any line ends, quotes and pieces", async () => {
    const text =
      '\ufeffname,hash,scopes,metadata,externalId\r\n"A, ""b""",h1,keys:read usage:read,"{""team"":""ä""}",\r\n\r\n"two\nlines",h2,,,x\r\n';
    for (const pieceLength of [1, 7, 10_000]) {
      expect(await read(text, pieceLength)).toEqual([
        {
          line: 2,
          value: {
            name: 'A, "b"',
            hash: "h1",
            scopes: ["keys:read", "usage:read"],
            metadata: { team: "ä" },
          },
        },
        { line: 5, value: { name: "two\nlines", hash: "h2", externalId: "x" } },
      ]);
    }
  });

  it.each([
    "hash,name\r\nh1,A\nh2,B\rh3,C\r\n",
    "hash,name\nh1,A\r\nh2,B\rh3,C",
    "hash,name\rh1,A\nh2,B\r\nh3,C\n",
    'hash,name\r\nh1,"A"\n"h2",B\r"h3","C"\r\n',
  ])("is read with lines that end in several ways: %j", async (text) => {
    for (const pieceLength of [1, 7, 10_000]) {
      expect(await read(text, pieceLength)).toEqual([
        { line: 2, value: { hash: "h1", name: "A" } },
        { line: 3, value: { hash: "h2", name: "B" } },
        { line: 4, value: { hash: "h3", name: "C" } },
      ]);
    }
  });

  it("says of a row that cannot be read why, and goes on", async () => {
    const rows = await read("hash,name,metadata\nh1,A,{no\nh2\nh3,C,{}\n");
    expect(rows).toEqual([
      { line: 2, errors: [{ pointer: "/metadata", message: "Not a JSON object." }] },
      { line: 3, errors: [{ pointer: "", message: expect.stringContaining("1 cells") }] },
      { line: 4, value: { hash: "h3", name: "C", metadata: {} } },
    ]);
  });

  it.each(["name\nA", "hash,secret\na,b", "hash,hash\na,b", "h1,A\nh2,B"])(
    "needs a first line that names columns: %j",
    async (text) => {
      await expect(read(text)).rejects.toThrow(/must name the columns/);
    },
  );

  it("ends at a quote that is never closed instead of holding the rest in memory", async () => {
    const endless = `hash,name\nh1,A\nh2,"${"x".repeat(200_000)}`;
    await expect(read(endless, 8_192)).rejects.toThrow(InputFileError);
    await expect(read('hash,name\nh1,A"B"\n')).rejects.toThrow(/^Line 2/);
  });
});

describe("a JSON array of keys", () => {
  it("gives each row with the line on which it ends", async () => {
    const text = '\n [\n{"hash":"h1","metadata":{"a":1}},\n{\n"hash":"h2"\n}, 7]\n';
    for (const pieceLength of [1, 7, 10_000]) {
      expect(await read(text, pieceLength)).toEqual([
        { line: expect.any(Number), value: { hash: "h1", metadata: { a: 1 } } },
        { line: expect.any(Number), value: { hash: "h2" } },
        { line: expect.any(Number), value: 7 },
      ]);
      expect((await read(text, pieceLength)).map((row) => row.line)).toEqual([3, 6, 6]);
    }
    expect(await read("[]")).toEqual([]);
  });

  it("gives the rows before a mistake, and names its line", async () => {
    const seen: unknown[] = [];
    async function* source() {
      yield await Promise.resolve(Buffer.from('[{"hash":"h1"},\n{"hash" 5}]'));
    }
    const reading = (async () => {
      for await (const row of readImportFile(source())) {
        seen.push(row);
      }
    })();
    await expect(reading).rejects.toThrow("Line 2: this is not JSON.");
    expect(seen).toHaveLength(1);
    await expect(read('[{"hash":"h1"}')).rejects.toThrow(/ends in the middle/);
  });

  it("ends at a row without end, and at nothing at all", async () => {
    await expect(read(`[{"name":"${"x".repeat(300_000)}`, 8_192)).rejects.toThrow(/more than/);
    await expect(read("")).rejects.toThrow(/empty/);
    await expect(read(" ".repeat(200_000), 8_192)).rejects.toThrow(/blanks/);
  });
});
