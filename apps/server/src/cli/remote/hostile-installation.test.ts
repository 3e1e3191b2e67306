import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { makeTempFolder, type TempFolder } from "@turnpike/testkit/temp-folder";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../run-cli.ts";
import { findFirstCall } from "./first-call.ts";
import { createRemoteApi } from "./remote-api.ts";

const ESCAPES = "\u001b]0;owned\u0007\r\u009b2J";
const CONTROLS = /(?![\n\t])\p{Cc}/u;

let server: Server;
let folder: TempFolder;
let address: string;
let given = 0;
let revoked: string[] = [];
let revokeStatus = 200;
let answers: Record<string, unknown> = {};

beforeAll(async () => {
  folder = await makeTempFolder();
  server = createServer(async (req, res) => {
    let body = "";
    for await (const chunk of req) {
      body += String(chunk);
    }
    let status = 200;
    if (req.url === "/device/token") {
      given += 1;
    }
    if (req.url === "/device/revoke") {
      status = revokeStatus;
      revoked.push(new URLSearchParams(body).get("token") ?? "");
    }
    const answer = answers[req.url ?? ""] ?? { access_token: `token-${String(given)}` };
    res.writeHead(status, { "content-type": "application/json" });
    res.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
beforeEach(() => {
  given = 0;
  revoked = [];
  revokeStatus = 200;
  answers = {
    "/device/authorize": {
      device_code: "a",
      user_code: `BCDF${ESCAPES}`,
      verification_uri: `https://console.test/${ESCAPES}`,
      expires_in: 600,
    },
    "/v1/me": {
      userId: `usr_${"0".repeat(32)}`,
      email: `ada${ESCAPES}@example.com`,
      emailVerified: true,
      name: null,
      isOperator: false,
    },
  };
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await folder[Symbol.asyncDispose]();
});

async function turnpike(...args: string[]) {
  let stdout = "";
  let stderr = "";
  const into = (add: (text: string) => void) =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        add(chunk.toString());
        done();
      },
    });
  const { exitCode } = await runCli(args, {
    readConfig: () => {
      throw new Error("This command needs no installation here.");
    },
    workingFolder: folder.path,
    output: into((text) => {
      stdout += text;
    }),
    errors: into((text) => {
      stderr += text;
    }),
    isTerminal: false,
    remote: { configFolder: folder.path, wait: () => Promise.resolve() },
  });
  return { exitCode, stdout, stderr };
}

describe("another installation", () => {
  it("writes no control character to the terminal", async () => {
    const login = await turnpike("login", address);
    expect(login).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Signed in") });
    expect(login.stdout + login.stderr).not.toMatch(CONTROLS);
    const json = await turnpike("--at", address, "--json", "whoami");
    expect(json.stdout).not.toMatch(CONTROLS);
    expect(JSON.parse(json.stdout).email).toBe(`ada${ESCAPES}@example.com`);
    const failure = await turnpike("login", ESCAPES);
    expect(failure.exitCode).toBe(2);
    expect(failure.stderr).not.toMatch(CONTROLS);
  });

  it("has one credential of a command line, which logout ends before it forgets it", async () => {
    await turnpike("login", address);
    revoked = [];
    expect((await turnpike("login", address)).exitCode).toBe(0);
    expect(revoked).toEqual(["token-1"]);
    revokeStatus = 503;
    expect(await turnpike("logout", address)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("503"),
    });
    revokeStatus = 200;
    expect((await turnpike("logout", address)).exitCode).toBe(0);
    expect(revoked.slice(-2)).toEqual(["token-2", "token-2"]);
    expect((await turnpike("logout", address)).exitCode).toBe(1);
  });

  it("adds no command to the line that shows a first call", async () => {
    const api = createRemoteApi({ address, token: "a" });
    const show = async (gateway: string, samplePath: string, key = "tp_live_a") => {
      answers["/config.json"] = { urls: { gateway } };
      answers["/page-data/landing"] = { samplePath };
      return await findFirstCall(api, key);
    };
    expect(await show("https://api.test", "/v1/a")).toBe(
      'curl -H "Authorization: Bearer tp_live_a" https://api.test/v1/a',
    );
    expect(await show("https://api.test", "/v1/a?b=1;$(id)'")).toBe(
      `curl -H "Authorization: Bearer tp_live_a" 'https://api.test/v1/a?b=1;$(id)'\\'''`,
    );
    expect(await show("-o/tmp/a", "/v1/a")).toBeUndefined();
    expect(await show("https://api.test", "/v1/a", '"; id; "')).toBeUndefined();
  });
});
