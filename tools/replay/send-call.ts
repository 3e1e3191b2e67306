import { Agent, type IncomingMessage, request } from "node:http";
import { REPLAY_HEADERS, REPLAY_HOST } from "../../apps/server/src/platform/replay-stub.ts";
import type { LoggedCall } from "./access-log.ts";

/** What came of one attempt. */
export type Attempt =
  /** The stub's answer. `isWhole` says whether the body had the size that was asked for. */
  | { kind: "answered"; status: number; isWhole: boolean }
  /** The gateway's own answer. */
  | { kind: "refused"; status: number; detail: string }
  /** No status line came. `wasSent` is false when the gateway cannot have seen the call. */
  | { kind: "unanswered"; wasSent: boolean };

export type Gateway = { host: string; port: number };

const TIMEOUT_MS = 60_000;
const DETAIL_BYTES_MAX = 16 * 1024;

/** Connections kept open between calls, as many as are under way at once. */
export function createAgent(concurrency: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: concurrency });
}

async function countBody(res: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of res) {
    bytes += (chunk as Buffer).length;
  }
  return bytes;
}

async function readDetail(res: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of res) {
    if (text.length < DETAIL_BYTES_MAX) {
      text += String(chunk);
    }
  }
  try {
    const problem = JSON.parse(text);
    return `${problem.code}: ${problem.detail}`;
  } catch {
    return text.slice(0, 200);
  }
}

async function readAnswer(call: LoggedCall, res: IncomingMessage): Promise<Attempt> {
  const status = res.statusCode ?? 0;
  if (res.headers[REPLAY_HEADERS.stub] === undefined) {
    return { kind: "refused", status, detail: await readDetail(res).catch(() => "") };
  }
  const hasBody = call.method !== "HEAD" && status !== 204 && status !== 304;
  const bytes = await countBody(res).catch(() => -1);
  return { kind: "answered", status, isWhole: bytes === (hasBody ? call.bytes : 0) };
}

function toHeaders(call: LoggedCall, key: string): Record<string, string> {
  return {
    host: REPLAY_HOST,
    authorization: `Bearer ${key}`,
    [REPLAY_HEADERS.status]: String(call.status),
    [REPLAY_HEADERS.bytes]: String(call.bytes),
    ...(call.userAgent === undefined ? {} : { "user-agent": call.userAgent }),
    ...(call.referer === undefined ? {} : { referer: call.referer }),
  };
}

/** Sends a logged call once, over HTTP/1.1, with its target as logged. Never rejects. */
export async function sendCall(input: {
  gateway: Gateway;
  agent: Agent;
  key: string;
  call: LoggedCall;
}): Promise<Attempt> {
  const { gateway, agent, key, call } = input;
  return await new Promise<Attempt>((resolve) => {
    let isConnected = false;
    const req = request(
      {
        ...gateway,
        agent,
        method: call.method,
        path: call.target,
        headers: toHeaders(call, key),
        timeout: TIMEOUT_MS,
      },
      (res) => void readAnswer(call, res).then(resolve),
    );
    req.on("socket", (socket) => {
      if (socket.connecting) {
        socket.once("connect", () => {
          isConnected = true;
        });
      } else {
        isConnected = true;
      }
    });
    req.on("timeout", () => req.destroy(new Error("The gateway does not answer")));
    req.on("error", () => resolve({ kind: "unanswered", wasSent: isConnected }));
    req.end();
  });
}

/** Asks, without a key and without being metered, whether the gateway passes calls on to a replay stub. */
export async function probeStub(gateway: Gateway): Promise<"stub" | "other" | "unreachable"> {
  return await new Promise((resolve) => {
    const req = request(
      {
        ...gateway,
        method: "OPTIONS",
        path: "/",
        agent: false,
        timeout: 5_000,
        headers: {
          host: REPLAY_HOST,
          origin: `http://${REPLAY_HOST}`,
          "access-control-request-method": "GET",
        },
      },
      (res) => {
        res.resume();
        resolve(res.headers[REPLAY_HEADERS.stub] === undefined ? "other" : "stub");
      },
    );
    req.on("timeout", () => req.destroy());
    req.on("error", () => resolve("unreachable"));
    req.end();
  });
}
