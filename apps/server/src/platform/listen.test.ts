import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { listen, probePort, toPortError } from "./listen.ts";

const HOST = "127.0.0.1";
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
  }
});

function track(server: Server): Server {
  servers.push(server);
  return server;
}

async function occupy(): Promise<number> {
  const server = track(createServer());
  server.listen(0, HOST);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

describe("listen", () => {
  it("listens", async () => {
    const server = track(createServer());
    await listen(server, { port: 0, host: HOST, variable: "PORT" });
    expect(server.listening).toBe(true);
  });

  it("names the port, the reason and the way out when it is taken", async () => {
    const port = await occupy();
    const attempt = listen(track(createServer()), { port, host: HOST, variable: "GATEWAY_PORT" });
    await expect(attempt).rejects.toMatchObject({
      code: "PORT_TAKEN",
      message: `Port ${String(port)} is taken by another program`,
      hint: "Set GATEWAY_PORT to a free port, or stop the other program",
      cause: { code: "EADDRINUSE" },
    });
  });

  it("says when the machine has no such address", async () => {
    const attempt = listen(track(createServer()), { port: 0, host: "192.0.2.1", variable: "PORT" });
    await expect(attempt).rejects.toMatchObject({
      code: "PORT_TAKEN",
      message: "This machine has no address 192.0.2.1",
    });
  });
});

describe("probePort", () => {
  it("leaves a free port free, and finds one for 0", async () => {
    const port = await probePort({ port: 0, host: HOST, variable: "PORT" });
    expect(port).toBeGreaterThan(0);
    expect(await probePort({ port, host: HOST, variable: "PORT" })).toBe(port);
    const server = track(createServer());
    await listen(server, { port, host: HOST, variable: "PORT" });
  });

  it("finds one for 0 that no outgoing connection is given and no browser refuses, past those that are taken", async () => {
    // Connections of every other test and program take one of the others at any moment, until it is listened on.
    const free = await probePort({ port: 0, host: HOST, variable: "PORT" });
    expect(free).toBeGreaterThan(10_080);
    expect(free).toBeLessThan(32_000);
    await listen(track(createServer()), { port: free, host: HOST, variable: "PORT" });
    const other = await probePort({ port: 0, host: HOST, variable: "PORT" });
    const draws = [free, other];
    const drawPort = () => draws.shift() ?? expect.fail("a third port was drawn");
    expect(await probePort({ port: 0, host: HOST, variable: "PORT" }, drawPort)).toBe(other);
    expect(draws).toEqual([]);
  });

  it("says when the machine has no such address", async () => {
    const attempt = probePort({ port: 0, host: "192.0.2.1", variable: "PORT" });
    await expect(attempt).rejects.toMatchObject({
      code: "PORT_TAKEN",
      message: "This machine has no address 192.0.2.1",
    });
  });

  it("refuses a port that is taken", async () => {
    const port = await occupy();
    await expect(probePort({ port, host: HOST, variable: "PORT" })).rejects.toMatchObject({
      code: "PORT_TAKEN",
    });
  });
});

describe("toPortError", () => {
  const address = { port: 80, host: HOST, variable: "PORT" };

  it("tells of a port that needs more rights", () => {
    const error = Object.assign(new Error("denied"), { code: "EACCES" });
    expect(toPortError(error, address)).toMatchObject({
      message: "Port 80 may not be used by this user",
      hint: "Set PORT to a port above 1023",
    });
  });

  it("leaves what it does not know as it is", () => {
    const error = Object.assign(new Error("odd"), { code: "EMFILE" });
    expect(toPortError(error, address)).toBe(error);
    expect(toPortError("text", address)).toBe("text");
  });
});
