import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTempFolder } from "@turnpike/testkit/temp-folder";
import { describe, expect, it } from "vitest";
import { type LogItem, parseLogLine, readAccessLog } from "./access-log.ts";

const line = (request: string, rest = '200 512 "-" "curl/8"') =>
  `192.0.2.1 - - [17/May/2015:10:05:03 +0000] "${request}" ${rest}`;

async function collect(items: AsyncIterable<LogItem>): Promise<LogItem[]> {
  const all: LogItem[] = [];
  for await (const item of items) {
    all.push(item);
  }
  return all;
}

const read = async (text: string): Promise<LogItem[]> => {
  await using folder = await makeTempFolder();
  const path = join(folder.path, "access.log");
  await writeFile(path, text, "latin1");
  return await collect(readAccessLog(path));
};

describe("parseLogLine", () => {
  it("reads method, raw target, status, size and what the client said of itself", () => {
    expect(
      parseLogLine(7, line("GET //favicon.ico HTTP/1.0", '404 12 "http://a.example/?q=1" "x y"')),
    ).toEqual({
      line: 7,
      call: {
        line: 7,
        method: "GET",
        target: "//favicon.ico",
        status: 404,
        bytes: 12,
        referer: "http://a.example/?q=1",
        userAgent: "x y",
      },
    });
  });

  it.each([
    ["a dash for the size", line("HEAD / HTTP/1.1", '304 - "-" "-"'), { bytes: 0, status: 304 }],
    ["the common format", line("GET /a HTTP/1.1", "200 5"), { bytes: 5, userAgent: undefined }],
    ["escaped quotes", line("GET / HTTP/1.1", String.raw`200 5 "-" "a \"b\""`), { bytes: 5 }],
    ["no version", line("GET /old"), { target: "/old" }],
    [
      "a virtual host and brackets in the user",
      '[::1]:443 192.0.2.1 - a[b [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 5',
      { target: "/a" },
    ],
  ])("reads %s", (_, text, expected) => {
    expect(parseLogLine(1, text)).toMatchObject({ call: expected });
  });

  it.each([
    ["garbage", "hello", "not a line"],
    ["a TLS greeting", line(String.raw`\x16\x03\x01`, '400 226 "-" "-"'), "no method"],
    ["an empty request", line("-", '408 0 "-" "-"'), "no method"],
    ["CONNECT", line("CONNECT example.com:443 HTTP/1.1"), "method"],
    ["a made-up method", line("FROB / HTTP/1.1"), "method"],
    ["a target with a scheme", line("GET http://a.example/ HTTP/1.1"), "slash"],
    ["a backslash", line(String.raw`GET /a\\b HTTP/1.1`), "percent-encoded"],
    ["a fragment", line("GET /a#b HTTP/1.1"), "percent-encoded"],
    ["an interim status", line("GET /a HTTP/1.1", '101 0 "-" "-"'), "final"],
    ["an endless target", line(`GET /${"a".repeat(9000)} HTTP/1.1`), "8 KiB"],
    ["a body beyond the stub", line("GET /a HTTP/1.1", '200 9999999999 "-" "-"'), "1 GiB"],
  ])("refuses %s and says why", (_, text, reason) => {
    expect(parseLogLine(3, text)).toMatchObject({
      line: 3,
      reason: expect.stringContaining(reason),
    });
  });
});

describe("readAccessLog", () => {
  it("numbers lines as editors do, with any line ends, and says which are empty", async () => {
    const items = await read(`${line("GET /a")}\r\n\n${line("GET /b")}`);
    expect(items.map((item) => item.line)).toEqual([1, 2, 3]);
    expect(items[1]).toEqual({ line: 2, reason: "empty" });
    expect(items[0]).toMatchObject({ call: { target: "/a", userAgent: "curl/8" } });
  });

  it("reports an overlong line once and goes on behind it", async () => {
    const items = await read(`${"x".repeat(300_000)}\n${line("GET /b")}\n`);
    expect(items).toEqual([
      { line: 1, reason: "longer than 64 KiB" },
      expect.objectContaining({ line: 2, call: expect.objectContaining({ target: "/b" }) }),
    ]);
  });

  it("never fails on bytes that are no text", async () => {
    expect(await read("\u0000\u00ff\u00fe\n")).toEqual([
      { line: 1, reason: expect.stringContaining("not a line") },
    ]);
  });
});
