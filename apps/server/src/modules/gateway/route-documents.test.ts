import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createOutbound, type Outbound } from "#platform/outbound.ts";
import { createUpstreamRouter, type OpenapiSource } from "./proxy/upstream-router.ts";
import { createRouteDocuments, type RouteDocuments } from "./route-documents.ts";

let outbound: Outbound;
let server: Server;
let url: string;
let answer: RequestListener;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "openapi-"));
  answer = (_, res) => res.end();
  server = createServer((req, res) => answer(req, res)).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/openapi.json`;
  outbound = createOutbound();
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await outbound.close();
  server.closeAllConnections();
  server.close();
});

const TIMEOUTS = { connectMs: 1_000, headersMs: 1_000, idleMs: 1_000 };

function open(
  ...places: { name: string; prefix?: string; stripPrefix?: boolean; openapi?: OpenapiSource }[]
): RouteDocuments {
  const { upstreams } = createUpstreamRouter(
    places.map((place) => ({
      url: "http://127.0.0.1:8080/base",
      timeouts: TIMEOUTS,
      maxRequestBytes: 1,
      preserveHost: false,
      ...place,
    })),
  );
  const kept = join(folder, "kept");
  const logger = pino({ level: "silent" });
  return createRouteDocuments({ outbound, logger, folder: kept }, upstreams);
}

function write(name: string, text: string): OpenapiSource {
  const file = join(folder, name);
  writeFileSync(file, text);
  return { file, refreshSeconds: 3_600 };
}

const YAML = `
openapi: 3.0.3
info: { title: Cities, version: "1" }
servers:
  - url: https://api.example.com/base
paths:
  /cities/{city}: { get: { responses: {} } }
  /cities/largest: { get: { responses: {} } }
`;
const JSON_TEXT = JSON.stringify({ openapi: "3.1.0", paths: { "/users/{userId}": {} } });

describe("createRouteDocuments", () => {
  it("knows nothing before it has read, and then the paths as callers see them, of each upstream", async () => {
    const documents = open(
      { name: "cities", openapi: write("cities.yaml", YAML) },
      {
        name: "users",
        prefix: "/u",
        stripPrefix: true,
        openapi: write("users.json", JSON_TEXT),
      },
      { name: "plain", prefix: "/plain" },
    );
    expect(documents.findRoute("cities", "/cities/rome")).toBeUndefined();
    await documents.refresh();
    expect(documents.trouble).toBeUndefined();
    expect(documents.findRoute("cities", "/cities/rome?lang=it")).toBe("/cities/{city}");
    expect(documents.findRoute("cities", "/cities/largest")).toBe("/cities/largest");
    expect(documents.findRoute("users", "/u/users/7")).toBe("/u/users/{userId}");
    // Verification and forward auth know no upstream.
    expect(documents.findRoute(undefined, "/u/users/7")).toBe("/u/users/{userId}");
    expect(documents.findRoute("plain", "/cities/rome")).toBeUndefined();
    expect(documents.findRoute("cities", "/unknown/7")).toBeUndefined();
  });

  it("gives a first call as callers send it, once a document with one is read", async () => {
    const documents = open(
      { name: "users", openapi: write("users.json", JSON_TEXT) },
      { name: "cities", prefix: "/c", stripPrefix: true, openapi: write("cities.yaml", YAML) },
    );
    expect(documents.findSamplePath()).toBeUndefined();
    await documents.refresh();
    expect(documents.findSamplePath()).toBe("/c/cities/largest");
  });

  it("reads an address, asks only for what has changed, and keeps the last good one when it breaks", async () => {
    const asked: (string | undefined)[] = [];
    const serveText =
      (text: string, etag: string): RequestListener =>
      (req, res) => {
        asked.push(req.headers["if-none-match"]);
        if (req.headers["if-none-match"] === etag) {
          res.writeHead(304).end();
        } else {
          res.writeHead(200, { etag }).end(text);
        }
      };
    answer = serveText(JSON_TEXT, '"1"');
    const documents = open({ name: "users", openapi: { url, refreshSeconds: 10 } });
    await documents.refresh();
    await documents.refresh();
    expect(asked).toEqual([undefined, '"1"']);
    expect(documents.findRoute("users", "/users/7")).toBe("/users/{userId}");

    const breaks: RequestListener[] = [
      (_, res) => res.end("{ broken"),
      (_, res) => res.end("openapi: [1, 2"),
      (_, res) => res.end('{"swagger":"2.0"}'),
      (_, res) => res.writeHead(500).end(),
      (req) => req.socket.destroy(),
      (_, res) => res.end(Buffer.alloc(17 * 1024 * 1024, 32)),
    ];
    for (const broken of breaks) {
      answer = broken;
      await documents.refresh();
      expect(documents.trouble).toContain("upstream users");
      expect(documents.trouble).not.toContain("127.0.0.1");
      expect(documents.findRoute("users", "/users/7")).toBe("/users/{userId}");
    }

    answer = serveText(JSON_TEXT.replace("userId", "user"), '"2"');
    await documents.refresh();
    expect(documents.trouble).toBeUndefined();
    expect(documents.findRoute("users", "/users/7")).toBe("/users/{user}");
  });

  it("uses the last good document of an address, and no other, even after a start at which the address does not answer", async () => {
    const openapi = { url, refreshSeconds: 10 };
    answer = (_, res) => res.end(JSON_TEXT);
    await open({ name: "users", openapi }).refresh();
    answer = (_, res) => res.writeHead(503).end();
    const next = open({ name: "users", openapi });
    await next.refresh();
    expect(next.trouble).toContain("the last good one is");
    expect(next.findRoute("users", "/users/7")).toBe("/users/{userId}");
    const moved = open({ name: "users", openapi: { ...openapi, url: `${url}?v=2` } });
    await moved.refresh();
    expect(moved.trouble).toContain("its routes are learned");
    writeFileSync(join(folder, "kept", "users.json"), '{"url": 1');
    const torn = open({ name: "users", openapi });
    await torn.refresh();
    expect(torn.findRoute("users", "/users/7")).toBeUndefined();
  });

  it("is not held up by a document of aliases that grow without end", async () => {
    const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"];
    for (const [place, name] of [..."bcdefghi"].entries()) {
      const before = "abcdefgh"[place] ?? "";
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(",")}]`);
    }
    const openapi = write("bomb.yaml", `openapi: 3.1.0\npaths: {}\n${bomb.join("\n")}`);
    const documents = open({ name: "bomb", openapi });
    await documents.refresh();
    expect(documents.trouble).toContain("its routes are learned");
  });
});
