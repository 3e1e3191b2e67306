import { describe, expect, it } from "vitest";
import { decodeImportFile, ImportFileError, readImportText } from "./read-import-text.ts";

describe("readImportText", () => {
  it("reads a CSV by its header, with quotes, line breaks and a byte order mark, and knows the line numbers", async () => {
    const text =
      '\ufeffhash,name,scopes,metadata\r\nab,"One,\ntwo",keys:read usage:read,"{""team"":""maps""}"\r\n\r\ncd,Three,,\r\n';
    expect(await readImportText(text)).toEqual([
      {
        place: "Line 3",
        value: {
          hash: "ab",
          name: "One,\ntwo",
          scopes: ["keys:read", "usage:read"],
          metadata: { team: "maps" },
        },
      },
      { place: "Line 5", value: { hash: "cd", name: "Three" } },
    ]);
  });

  it("reads a CSV with mixed line endings", async () => {
    expect(await readImportText("hash,name\r\na,One\nb,Two\rc,Three\r\n")).toEqual([
      { place: "Line 2", value: { hash: "a", name: "One" } },
      { place: "Line 3", value: { hash: "b", name: "Two" } },
      { place: "Line 4", value: { hash: "c", name: "Three" } },
    ]);
  });

  it("keeps an unreadable line with its reason, and reads the others", async () => {
    const rows = await readImportText("hash,metadata\na\nb,{oops\nc,");
    expect(rows).toEqual([
      {
        place: "Line 2",
        errors: [{ pointer: "", message: "1 cells where the first line names 2 columns." }],
      },
      { place: "Line 3", errors: [{ pointer: "/metadata", message: "Not a JSON object." }] },
      { place: "Line 4", value: { hash: "c" } },
    ]);
  });

  it("reads a JSON array, each entry as it is", async () => {
    expect(await readImportText(' [{"hash":"a"},7]')).toEqual([
      { place: "Row 1", value: { hash: "a" } },
      { place: "Row 2", value: 7 },
    ]);
  });

  it("refuses a row that is too large for a request, and keeps the rows around it", async () => {
    const long = "ü".repeat(500_000);
    const refused = {
      errors: [{ pointer: "", message: "The row is too long: more than 900 kB." }],
    };
    expect(await readImportText(`hash,name\na,A\nb,${long}\nc,C`)).toEqual([
      { place: "Line 2", value: { hash: "a", name: "A" } },
      { place: "Line 3", ...refused },
      { place: "Line 4", value: { hash: "c", name: "C" } },
    ]);
    const json = JSON.stringify([{ hash: "a", metadata: { note: long } }, { hash: "b" }]);
    expect(await readImportText(json)).toEqual([
      { place: "Row 1", ...refused },
      { place: "Row 2", value: { hash: "b" } },
    ]);
  });

  it.each([
    ["", "The file is empty."],
    ["[]", "The file has no rows."],
    ["hash,name\n", "The file has no rows."],
    ["[{", "This is not valid JSON, or the file is incomplete."],
    ["name,hash,name\na,b,c", /^The first line must name the columns/],
    ["id,hash\na,b", /^The first line must name .* It was read as “id,hash”\.$/],
    ["hash;name\na;b", /read as “hash;name”, separated by semicolons: use commas/],
    ["hash\tname\na\tb", /separated by tabs/],
    [`${"x".repeat(500)}\n`, /It was read as “x{80}…”\.$/],
    ["h\0a\0s\0h\0\n\0", /characters that are not text: save the file as UTF-8/],
    ['{"hash":"a"}', /starts with \{.*must be a JSON array/],
    ['hash,name\na,"b\n', /^Line \d+: a quote is out of place/],
    [`[${"1,".repeat(100_000)}1]`, "The file has more than 100,000 rows: split it."],
  ])("says what is wrong with a file as a whole", async (text, message) => {
    const reading = readImportText(text);
    await expect(reading).rejects.toThrow(ImportFileError);
    await expect(reading).rejects.toThrow(message);
  });
});

describe("decodeImportFile", () => {
  it("reads UTF-8, and UTF-16 as spreadsheets save it", () => {
    const text = "hash,name\na,Ünë\n";
    const utf16 = [...`\ufeff${text}`].map((sign) => sign.charCodeAt(0));
    const littleEndian = new Uint8Array(utf16.flatMap((code) => [code % 256, code >> 8]));
    const bigEndian = new Uint8Array(utf16.flatMap((code) => [code >> 8, code % 256]));
    for (const bytes of [new TextEncoder().encode(text), littleEndian, bigEndian]) {
      expect(decodeImportFile(bytes.slice().buffer)).toBe(text);
    }
  });
});
