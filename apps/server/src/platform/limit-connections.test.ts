import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { Writable } from "node:stream";
import { pollUntil } from "@turnpike/testkit/poll-until";
import { describe, expect, it, onTestFinished } from "vitest";
import { limitConnections, toCountedNetwork } from "./limit-connections.ts";
import { createLogger } from "./logger.ts";

type Listener = { server: Server; accepted: Set<Socket>; log: () => string };

async function startListener(limits: {
  totalMax: number;
  perAddressMax: number;
  isExempt?: (address: string) => boolean;
}): Promise<Listener> {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const accepted = new Set<Socket>();
  const server = createServer((socket) => {
    if (socket.destroyed) {
      return;
    }
    accepted.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => accepted.delete(socket));
    socket.resume();
  });
  limitConnections(server, {
    listener: "test",
    isExempt: () => false,
    show: (address) => `shown ${address}`,
    logger: createLogger({ level: "warn", destination }),
    ...limits,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    accepted.forEach((socket) => void socket.destroy());
  });
  return { server, accepted, log: () => lines.join("") };
}

/** Connects from an address of loopback, all of which are this machine's. */
function open({ server }: Listener, localAddress: string): Socket {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => undefined);
  socket.resume();
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Resolves once so many are open there and every other one was closed. */
async function settle(listener: Listener, sockets: Socket[], openCount: number): Promise<void> {
  await pollUntil(
    `${String(openCount)} are open`,
    () =>
      listener.accepted.size === openCount &&
      sockets.filter((socket) => !socket.closed).length === openCount,
  );
}

describe("limitConnections", () => {
  it("closes what one address has too many, leaves the others alone, and tells so once", async () => {
    const listener = await startListener({ totalMax: 100, perAddressMax: 3 });
    const greedy = Array.from({ length: 10 }, () => open(listener, "127.0.0.1"));
    await settle(listener, greedy, 3);
    const other = [open(listener, "127.0.0.2"), open(listener, "127.0.0.2")];
    await settle(listener, [...greedy, ...other], 5);
    const lines = listener.log().trim().split("\n");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "warn",
      listener: "test",
      network: "shown 127.0.0.1",
      perAddressMax: 3,
    });
  });

  it("has room again as soon as one is closed", async () => {
    const listener = await startListener({ totalMax: 100, perAddressMax: 2 });
    const first = [open(listener, "127.0.0.1"), open(listener, "127.0.0.1")];
    await settle(listener, first, 2);
    for (let round = 0; round < 5; round += 1) {
      first.shift()?.destroy();
      await settle(listener, first, 1);
      first.push(open(listener, "127.0.0.1"));
      await settle(listener, first, 2);
    }
  });

  it("does not apply to exempt addresses", async () => {
    const listener = await startListener({
      totalMax: 100,
      perAddressMax: 1,
      isExempt: (address) => address === "127.0.0.3",
    });
    const proxied = Array.from({ length: 10 }, () => open(listener, "127.0.0.3"));
    await settle(listener, proxied, 10);
    expect(listener.log()).toBe("");
  });

  it("bounds all of them together, and tells so once", async () => {
    const listener = await startListener({ totalMax: 4, perAddressMax: 3 });
    const sockets = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"].map(
      (address) => open(listener, address),
    );
    await settle(listener, sockets, 4);
    expect(listener.log().trim().split("\n")).toHaveLength(1);
    expect(listener.log()).toContain("all are taken");
  });

  it("survives a failure to accept", async () => {
    const listener = await startListener({ totalMax: 4, perAddressMax: 3 });
    listener.server.emit("error", Object.assign(new Error("accept EMFILE"), { code: "EMFILE" }));
    const socket = open(listener, "127.0.0.1");
    await settle(listener, [socket], 1);
    expect(listener.log()).toContain("could not be accepted");
  });
});

describe("toCountedNetwork", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::a:b:c:d", "fe80:0:0:0::/64"],
  ])("counts %s for %s", (address, network) => {
    expect(toCountedNetwork(address)).toBe(network);
  });
});
