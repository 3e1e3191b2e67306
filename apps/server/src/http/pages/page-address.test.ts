import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPageRedirect } from "./page-address.ts";

const HTML = "text/html,application/xhtml+xml,*/*;q=0.8";

let redirect: ReturnType<typeof createPageRedirect>;
const server = createServer((req, res) => {
  if (!redirect(req, res)) {
    res.end("served");
  }
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** The address redirected to; null when the page was served. */
function open(input: {
  consoleUrl: string;
  host: string;
  path?: string;
  accept?: string;
  method?: string;
}): Promise<string | null> {
  redirect = createPageRedirect(input.consoleUrl);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port: (server.address() as AddressInfo).port,
        host: "127.0.0.1",
        method: input.method ?? "GET",
        path: input.path ?? "/",
        headers: { host: input.host, accept: input.accept ?? HTML },
      },
      (reply) => {
        reply.resume();
        expect(reply.statusCode).toBe(reply.headers.location === undefined ? 200 : 307);
        resolve(reply.headers.location ?? null);
      },
    );
    sent.on("error", reject).end();
  });
}

describe("createPageRedirect", () => {
  const consoleUrl = "http://localhost:3000";

  it.each(["127.0.0.1:3000", "[::1]:3000", "0.0.0.0:3000", "127.0.0.2:3000", "my.localhost:3000"])(
    "sends %s to the same page at the console's own address",
    async (host) => {
      const location = await open({ consoleUrl, host, path: "/register?invitation=abc" });
      expect(location).toBe("http://localhost:3000/register?invitation=abc");
    },
  );

  it("works the other way round as well", async () => {
    const own = "http://127.0.0.1:3000";
    expect(await open({ consoleUrl: own, host: "localhost:3000" })).toBe(`${own}/`);
  });

  it("never redirects the console's own address", async () => {
    for (const host of ["localhost:3000", "LOCALHOST:3000"]) {
      expect(await open({ consoleUrl, host })).toBeNull();
    }
  });

  it.each([
    "127.0.0.1:8080",
    "127.0.0.1",
    "api.example.com:3000",
    "localhost.example.com:3000",
    "127.0.0.1.example.com:3000",
    "192.168.1.5:3000",
    "evil@127.0.0.1:3000/",
    "127.0.0.1:3000:3000",
    "",
  ])("serves %j as it is: what is behind that name is not known", async (host) => {
    expect(await open({ consoleUrl, host })).toBeNull();
  });

  it("serves every name of a console with a public address: a proxy may have rewritten it", async () => {
    for (const host of ["127.0.0.1:3000", "localhost:3000", "api.example.com"]) {
      expect(await open({ consoleUrl: "https://api.example.com", host })).toBeNull();
    }
  });

  it("redirects only browsers that open a page", async () => {
    const host = "127.0.0.1:3000";
    expect(await open({ consoleUrl, host, accept: "*/*" })).toBeNull();
    expect(await open({ consoleUrl, host, accept: "application/json" })).toBeNull();
    expect(await open({ consoleUrl, host, method: "POST" })).toBeNull();
    expect(await open({ consoleUrl, host, method: "HEAD" })).toBe("http://localhost:3000/");
  });

  it("leads nowhere else, by any path", async () => {
    for (const path of ["/\\evil.example", "/.evil.example", "/@evil.example", "/%2F%2Fevil"]) {
      const location = await open({ consoleUrl, host: "127.0.0.1:3000", path });
      expect(new URL(location ?? "").origin).toBe(consoleUrl);
    }
  });
});
