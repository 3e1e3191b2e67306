import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createOutbound, isLoopbackHost, type Outbound, OutboundError } from "./outbound.ts";

let outbound: Outbound;
let server: Server;
let url: string;
let answer: RequestListener;
let requests: number;

beforeEach(async () => {
  requests = 0;
  answer = (_, res) => res.end('{"ok":true}');
  server = createServer((req, res) => {
    requests += 1;
    answer(req, res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  outbound = createOutbound();
});
afterEach(async () => {
  await outbound.close();
  server.close();
  server.closeAllConnections();
});

const LIMITS = { timeoutMs: 10_000, bytesMax: 1_000 };

describe("getJson", () => {
  it("gets a document from this machine", async () => {
    expect(await outbound.getJson(url, LIMITS)).toEqual({ ok: true });
  });

  it.each([
    "http://example.com/",
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://127.0.0.1.example.com/",
    "http://0.0.0.0/",
    "ftp://127.0.0.1/",
    "file:///etc/passwd",
    "https://user:secret@example.com/",
    "no address",
    "//127.0.0.1/",
  ])("refuses to call %s", async (address) => {
    await expect(outbound.getJson(address, LIMITS)).rejects.toThrow(OutboundError);
  });

  it("follows no redirect", async () => {
    answer = (_, res) => res.writeHead(302, { location: url }).end();
    await expect(outbound.getJson(url, LIMITS)).rejects.toThrow(/status 302/);
    expect(requests).toBe(1);
  });

  it("reads no more than it may, with any length announced", async () => {
    answer = (_, res) => res.end(`"${"x".repeat(1_000)}"`);
    await expect(outbound.getJson(url, LIMITS)).rejects.toThrow(/more than 1000 bytes/);
    answer = (_, res) => {
      res.write('"');
      const timer = setInterval(() => res.write("x".repeat(100)), 1);
      res.on("close", () => clearInterval(timer));
    };
    await expect(outbound.getJson(url, LIMITS)).rejects.toThrow(/more than 1000 bytes/);
  });

  it("waits no longer than it may, for the first byte and for the last", async () => {
    const limits = { ...LIMITS, timeoutMs: 50 };
    answer = () => undefined;
    await expect(outbound.getJson(url, limits)).rejects.toThrow(OutboundError);
    answer = (_, res) => res.write('{"slow":');
    await expect(outbound.getJson(url, limits)).rejects.toThrow(OutboundError);
  });

  it("says which host failed and nothing of what it answered", async () => {
    answer = (_, res) => res.end("a secret page");
    const failure = await outbound.getJson(`${url}path?token=abc`, LIMITS).catch(String);
    expect(failure).toContain("127.0.0.1");
    expect(failure).not.toMatch(/secret|abc/);
  });
});

describe("isLoopbackHost", () => {
  it.each(["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "[::1]", "::1"])("%s", (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });
  it.each(["example.com", "127.0.0.1.example.com", "127.example.com", "[::2]", "0.0.0.0", ""])(
    "not %s",
    (host) => {
      expect(isLoopbackHost(host)).toBe(false);
    },
  );
});

describe("getJsonIfChanged", () => {
  it("asks with the ETag of what is at hand, and says when that is still the one", async () => {
    answer = (req, res) => {
      if (req.headers["if-none-match"] === '"one"') {
        res.writeHead(304).end();
      } else {
        res.writeHead(200, { etag: '"one"' }).end('{"a":1}');
      }
    };
    const first = await outbound.getJsonIfChanged(url, LIMITS, undefined);
    expect(first).toEqual({ value: { a: 1 }, etag: '"one"' });
    expect(await outbound.getJsonIfChanged(url, LIMITS, '"one"')).toBeUndefined();
    expect(await outbound.getJsonIfChanged(url, LIMITS, '"old"')).toEqual(first);
  });

  it("takes no 304 that it did not ask for", async () => {
    answer = (_, res) => res.writeHead(304).end();
    await expect(outbound.getJsonIfChanged(url, LIMITS, undefined)).rejects.toThrow(/status 304/);
  });
});
