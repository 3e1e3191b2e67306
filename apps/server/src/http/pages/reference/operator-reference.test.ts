import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { readReference } from "@turnpike/domain/routes/read-reference";
import { createFakeClock } from "@turnpike/testkit/fake-clock";
import { afterEach, describe, expect, it } from "vitest";
import { createSealer } from "#platform/sealer.ts";
import { createRouteTable } from "../../route-table.ts";
import { createPageShell } from "../html-page.ts";
import {
  createOperatorReferenceRoutes,
  listPublicReferences,
  type UpstreamReference,
} from "./operator-reference.ts";
import { createReferenceVisits } from "./visits.ts";

const SHELL = createPageShell({
  checkout: resolve(import.meta.dirname, "../../../../../.."),
  brand: { name: "Acme", accent: "#00aa55" },
  header: { home: "/reference", subject: "API reference", hasSearch: false, links: [] },
});
const SECRET = "a secret that only this test uses, long enough";
const clock = createFakeClock();

function describeUpstream(upstream: string, text: string): UpstreamReference {
  const document = {
    info: { title: `${upstream} API`, description: text },
    paths: { "/a": { get: { summary: text, description: text, tags: [text], responses: {} } } },
  };
  const reference = readReference(document, (path) => ({ path, address: path }));
  return { upstream, reference };
}

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

function makeVisits(secret = SECRET) {
  const sealer = createSealer(secret, "visits to the reference");
  return createReferenceVisits({ clock, sealer }, { path: "/reference", isSecure: true });
}

async function serve(
  visibility: "public" | "members",
  list: readonly UpstreamReference[],
): Promise<(path: string, cookie?: string) => Promise<Response>> {
  const routes = createOperatorReferenceRoutes({
    shell: SHELL,
    brandName: "Acme",
    consoleUrl: "https://console.example.com",
    gatewayUrl: "https://gateway.example.com",
    visibility,
    visits: makeVisits(),
    list: () => list,
  });
  const find = createRouteTable(routes);
  server = createServer((req, res) => {
    const found = find("GET", new URL(req.url ?? "/", "http://localhost").pathname);
    if (found.kind !== "found") {
      res.writeHead(404).end();
      return;
    }
    const call = {
      req,
      res,
      params: found.params,
      context: {} as never,
      fail: () => res.destroy(),
    };
    Promise.resolve(found.route.handle(call)).catch(() => res.destroy());
  }).listen(0, "127.0.0.1");
  await new Promise((ready) => server?.once("listening", ready));
  const { port } = server.address() as AddressInfo;
  return (path, cookie) =>
    fetch(`http://127.0.0.1:${String(port)}${path}`, {
      redirect: "manual",
      headers: cookie === undefined ? {} : { cookie },
    });
}

describe("the reference of the operator's API", () => {
  it("shows paths at the gateway, and lets its pages call nothing but that", async () => {
    const read = await serve("public", [describeUpstream("maps", "Read")]);
    const first = await read("/reference");
    expect(first.headers.get("location")).toBe("/reference/maps");
    const page = await read("/reference/maps/read");
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toContain(
      "connect-src 'self' https://gateway.example.com",
    );
    const text = await page.text();
    expect(text).toContain("curl https://gateway.example.com/a");
    expect(text).toContain("Bearer YOUR_KEY");
    expect((await read("/reference/maps/nothing")).status).toBe(404);
    expect((await read("/reference/other")).status).toBe(404);
  });

  it("has a twin in Markdown for each page, named in its head, with links to twins", async () => {
    const read = await serve("public", [describeUpstream("maps", "Read [a](javascript:x) | b")]);
    const first = await (await read("/reference/maps.md")).text();
    expect(first).toContain("# maps API");
    expect(first).toContain("At `https://gateway.example.com`.");
    const [, path = ""] = /\]\(https:\/\/console\.example\.com(\/[^)#]+)/.exec(first) ?? [];
    const twin = await read(path);
    expect(twin.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const text = await twin.text();
    expect(text).toContain("`GET /a`");
    expect(text).toContain("```sh\ncurl https://gateway.example.com/a");
    expect(text).not.toMatch(/(?<!\\)\]\(javascript/);
    expect(await (await read(`${path}?samples=python`)).text()).toContain(
      "```python\nrequests.get(",
    );
    const page = await (await read(path.replace(/\.md$/, ""))).text();
    expect(page).toContain(`<link rel="alternate" type="text/markdown" href="${path}">`);
    expect((await read("/reference/maps/nothing.md")).status).toBe(404);
    expect((await read("/reference/other.md")).status).toBe(404);
  });

  it("is named to everybody only where everybody may read it", () => {
    const list = () => [describeUpstream("maps", "Depths of harbours. More.")];
    expect(listPublicReferences({ visibility: "public", list })).toEqual([
      { title: "maps API", href: "/reference/maps.md", summary: "Depths of harbours." },
    ]);
    expect(listPublicReferences({ visibility: "members", list })).toEqual([]);
    expect(listPublicReferences({ visibility: null, list })).toEqual([]);
  });

  it("lists several upstreams, and says when no document could be read yet", async () => {
    const read = await serve("public", [describeUpstream("a", "A"), describeUpstream("b", "B")]);
    const text = await (await read("/reference")).text();
    expect(text).toContain('href="/reference/a"');
    expect(text).toContain('href="/reference/b"');
    server?.close();
    const empty = await serve("public", []);
    expect((await empty("/reference")).status).toBe(503);
  });

  it("escapes what the document says, and follows no link that a browser would run", async () => {
    const hostile = `<img src=x onerror=alert(1)> [x](javascript:alert(1)) "quoted"`;
    const read = await serve("public", [describeUpstream("maps", hostile)]);
    const first = await (await read("/reference/maps")).text();
    const [, name = ""] = /href="(\/reference\/maps\/[^"?#]+)"/.exec(first) ?? [];
    for (const text of [first, await (await read(name)).text()]) {
      expect(text).not.toMatch(/<img src=x|href="javascript/);
      expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;");
    }
  });
});

describe("a reference for members", () => {
  it("opens for the browser that follows a ticket in time, for twelve hours", async () => {
    const read = await serve("members", [describeUpstream("maps", "Read")]);
    for (const path of ["/reference/maps/read", "/reference/maps/read.md", "/reference/maps.md"]) {
      expect((await read(path)).status, path).toBe(401);
    }
    const { ticket } = await makeVisits().issueTicket();
    const entered = await read(`/reference?ticket=${encodeURIComponent(ticket)}`);
    expect(entered.headers.get("location")).toBe("/reference");
    const cookie = entered.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^__Secure-turnpike_reference=.*HttpOnly; SameSite=Lax; Secure$/);
    const [pair = ""] = cookie.split(";");
    expect((await read("/reference/maps/read", `other=1; ${pair}`)).status).toBe(200);
    expect((await read("/reference/maps/read.md", pair)).status).toBe(200);
    clock.advance(12 * 3_600_000);
    expect((await read("/reference/maps/read", pair)).status).toBe(401);
  });

  it("stays closed for a late ticket, one of another installation, one sent as a cookie, and noise", async () => {
    const read = await serve("members", [describeUpstream("maps", "Read")]);
    const { ticket } = await makeVisits().issueTicket();
    const { ticket: foreign } = await makeVisits(`${SECRET} of another`).issueTicket();
    const asCookie = `__Secure-turnpike_reference=${ticket}`;
    expect((await read("/reference/maps", asCookie)).status).toBe(401);
    clock.advance(60_000);
    for (const each of [ticket, foreign, "", "x".repeat(10_000)]) {
      const answer = await read(`/reference?ticket=${encodeURIComponent(each)}`);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
  });
});
