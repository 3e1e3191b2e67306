import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  AddressRefusedError,
  createGuardedOutbound,
  GuardedOutboundError,
} from "./guarded-outbound.ts";

let server: Server;
let port: number;
let answer: RequestListener;
let connections: number;
let requests: { target: string; headers: NodeJS.Dict<string | string[]>; body: string }[];

beforeEach(async () => {
  connections = 0;
  requests = [];
  answer = (_, res) => res.end("thanks");
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      requests.push({ target: req.url ?? "", headers: req.headers, body });
      answer(req, res);
    });
  });
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const LOOPBACK = ["127.0.0.1"];
const post = { headers: { "content-type": "application/json" }, body: "{}", timeoutMs: 5_000 };
const to = (...addresses: string[]) => ({ resolve: () => Promise.resolve(addresses) });
const closed = () => createGuardedOutbound({ allowPrivate: [], ...to() });
const open = () => createGuardedOutbound({ allowPrivate: LOOPBACK, ...to("127.0.0.1") });

/** Ways to write an address of this machine or of a private network; `PORT` is where the receiver listens. */
const FORBIDDEN = [
  "http://127.0.0.1:PORT/",
  "https://127.0.0.1:PORT/",
  "https://127.0.0.1/",
  "https://127.1/",
  "https://127.0.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0x7f.0.0.1/",
  "https://0x7f.1/",
  "https://017700000001/",
  "https://0177.0.0.1/",
  "https://0177.0.0.01/",
  "https://127.0.0.1./",
  "https://①②⑦.⓪.⓪.①/",
  "https://１２７.０.０.１/",
  "https://127。0。0。1/",
  "https://%31%32%37.0.0.1/",
  "https://0/",
  "https://0.0.0.0/",
  "https://00000/",
  "https://[::]/",
  "https://[::1]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[0000::0001]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[::FFFF:7F00:1]/",
  "https://[::127.0.0.1]/",
  "https://[::ffff:0:127.0.0.1]/",
  "https://[64:ff9b::127.0.0.1]/",
  "https://[64:ff9b::a9fe:a9fe]/",
  "https://[64:ff9b:1::1]/",
  "https://[2002:7f00:1::]/",
  "https://[2002:a9fe:a9fe::1]/",
  "https://[2001:0:7f00:1::]/",
  "https://[fe80::1]/",
  "https://[fc00::1]/",
  "https://[fd00:ec2::254]/",
  "https://[fec0::1]/",
  "https://[ff02::1]/",
  "https://10.0.0.1/",
  "https://100.64.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://2852039166/",
  "https://0xa9fea9fe/",
  "https://172.16.0.1/",
  "https://192.168.0.1/",
  "https://192.0.0.192/",
  "https://198.18.0.1/",
  "https://224.0.0.1/",
  "https://255.255.255.255/",
  "https://8.8.8.8:22/",
  "https://8.8.8.8:PORT/",
  "https://8.8.8.8:80/",
  "http://8.8.8.8/",
  "http://8.8.8.8:443/",
  "https://user@8.8.8.8/",
  "https://user:secret@8.8.8.8/",
  "https://8.8.8.8@127.0.0.1:PORT/",
  "https://:secret@8.8.8.8/",
  "ftp://8.8.8.8/",
  "file:///etc/passwd",
  "gopher://8.8.8.8/",
  "data:text/plain,x",
  "javascript:alert(1)",
  "unix:/var/run/x.sock",
  "//127.0.0.1:PORT/",
  "127.0.0.1:PORT",
  "https://",
  "https:///",
  "https://[fe80::1%25eth0]/",
  "https://256.256.256.256/",
  "https://8.8.8.8:99999/",
  "no address",
  "",
  `https://8.8.8.8/${"x".repeat(2_000)}`,
];

describe("an address that may not be called", () => {
  it.each(FORBIDDEN)("refuses to call %s", async (text) => {
    const url = text.replace("PORT", String(port));
    await expect(closed().assertCallable(url)).rejects.toThrow(GuardedOutboundError);
    await expect(closed().post(url, post)).rejects.toThrow(GuardedOutboundError);
    expect(connections).toBe(0);
  });

  it.each([
    [["127.0.0.1"]],
    [["::1"]],
    [["::ffff:127.0.0.1"]],
    [["169.254.169.254"]],
    [["64:ff9b::7f00:1"]],
    [["8.8.8.8", "127.0.0.1"]],
    [["2606:4700::1111", "fd00::1"]],
    [["not an address"]],
  ])("refuses a name that resolves to %j", async (addresses) => {
    const outbound = createGuardedOutbound({ allowPrivate: [], ...to(...addresses) });
    for (const name of ["hooks.test", "localhost", "localhost.", "hooks.test."]) {
      await expect(outbound.post(`https://${name}/`, post)).rejects.toThrow(AddressRefusedError);
    }
    expect(connections).toBe(0);
  });

  it("says the same of a name that does not exist and of one that is private", async () => {
    const refusalOf = async (...addresses: string[]): Promise<unknown> =>
      await createGuardedOutbound({ allowPrivate: [], ...to(...addresses) })
        .assertCallable("https://name.test/")
        .then(
          () => "callable",
          (error: unknown) => (error instanceof Error ? error.message : error),
        );
    const refusal = await refusalOf();
    expect(refusal).toMatch(/name\.test leads to no address on the public internet/);
    expect(await refusalOf("10.0.0.1")).toBe(refusal);
  });

  it("takes a public address by https on the two ports for callable", async () => {
    const outbound = createGuardedOutbound({ allowPrivate: [], ...to("8.8.8.8", "2606:4700::1") });
    for (const url of ["https://hooks.test/", "https://hooks.test:8443/x?y", "https://1.1.1.1/"]) {
      await outbound.assertCallable(url);
    }
  });
});

describe("a name whose addresses change", () => {
  it("is looked at before each call, anew", async () => {
    const answers = [["8.8.8.8"], ["127.0.0.1"]];
    const outbound = createGuardedOutbound({
      allowPrivate: [],
      resolve: () => Promise.resolve(answers.shift() ?? []),
    });
    await outbound.assertCallable("https://hooks.test/");
    await expect(outbound.post("https://hooks.test/", post)).rejects.toThrow(AddressRefusedError);
    expect(connections).toBe(0);
  });

  it("is asked for once in a call, and the connection goes to that answer", async () => {
    let asked = 0;
    const outbound = createGuardedOutbound({
      allowPrivate: LOOPBACK,
      resolve: () => {
        asked += 1;
        // No name server knows this name: only the answer that was checked can lead to the receiver.
        return Promise.resolve(asked === 1 ? ["127.0.0.1"] : ["127.0.0.2"]);
      },
    });
    const url = `http://hooks.invalid:${String(port)}/in?a=1`;
    const answered = await outbound.post(url, post);
    expect(answered).toEqual({ status: 200, retryAfter: undefined, text: "thanks" });
    expect(asked).toBe(1);
    expect(requests[0]).toMatchObject({ target: "/in?a=1", body: "{}" });
    expect(requests[0]?.headers["host"]).toBe(`hooks.invalid:${String(port)}`);
  });
});

describe("what the operator has listed", () => {
  it("is called at its address, in its range and by its name, and nothing else is", async () => {
    const at = (host: string) => `http://${host}:${String(port)}/`;
    const call = (allowPrivate: string[], host: string) =>
      createGuardedOutbound({ allowPrivate, ...to("127.0.0.1") }).post(at(host), post);
    for (const allowPrivate of [["127.0.0.1"], ["127.0.0.0/8"], ["10.0.0.0/8", "127.0.0.0/30"]]) {
      expect((await call(allowPrivate, "127.0.0.1")).status).toBe(200);
      expect((await call(allowPrivate, "hooks.test")).status).toBe(200);
    }
    expect((await call(["LOCALHOST"], "localhost")).status).toBe(200);
    expect(connections).toBe(7);
    await expect(call(["10.0.0.0/8"], "127.0.0.1")).rejects.toThrow(AddressRefusedError);
    await expect(call(["localhost"], "127.0.0.1")).rejects.toThrow(AddressRefusedError);
    await expect(call(["localhost"], "hooks.test")).rejects.toThrow(AddressRefusedError);
    expect(connections).toBe(7);
  });
});

describe("an answer", () => {
  const url = () => `http://127.0.0.1:${String(port)}/`;

  it("that leads elsewhere is not followed", async () => {
    answer = (_, res) => res.writeHead(307, { location: `${url()}elsewhere` }).end();
    expect((await open().post(url(), post)).status).toBe(307);
    expect(requests.length).toBe(1);
  });

  it("is kept to 1 kB, however much comes", async () => {
    answer = (_, res) => {
      const timer = setInterval(() => res.write("x".repeat(100_000)), 1);
      res.on("close", () => clearInterval(timer));
    };
    const { status, text } = await open().post(url(), post);
    expect({ status, length: text.length }).toEqual({ status: 200, length: 1_024 });
  });

  it("counts by its status line, also when the rest never comes", async () => {
    answer = (_, res) => {
      res.writeHead(202);
      res.write("part");
      res.socket?.end();
    };
    expect(await open().post(url(), post)).toMatchObject({ status: 202, text: "part" });
  });

  it("is not waited for longer than said, nor taken when it is broken", async () => {
    answer = () => undefined;
    const hurried = { ...post, timeoutMs: 50 };
    await expect(open().post(url(), hurried)).rejects.toThrow("No answer in time.");
    answer = (_, res) => res.socket?.write("SSH-2.0-OpenSSH\r\n\r\n");
    await expect(open().post(url(), post)).rejects.toThrow("The answer is not understood.");
    answer = (_, res) => res.socket?.destroy();
    await expect(open().post(url(), post)).rejects.toThrow("The connection broke.");
    server.close();
    server.closeAllConnections();
    await expect(open().post(url(), post)).rejects.toThrow("The connection was refused.");
  });

  it("by https needs a certificate that is trusted: plain text on the port is none", async () => {
    await expect(open().post(url().replace("http:", "https:"), post)).rejects.toThrow(
      GuardedOutboundError,
    );
    expect(requests).toEqual([]);
  });

  it("says how long to wait", async () => {
    answer = (_, res) => res.writeHead(429, { "retry-after": "120" }).end();
    expect(await open().post(url(), post)).toMatchObject({ status: 429, retryAfter: "120" });
  });
});
