import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How the stand-in answers one call. */
export type StandInReply =
  | { text: readonly string[]; finish?: "stop" | "length" }
  | { calls: readonly { name: string; arguments: unknown }[]; text?: readonly string[] }
  | { status: number }
  /** Never answers. */
  | { hangs: true }
  /** Ends the connection behind these pieces. */
  | { cutAfter: readonly string[] }
  /** Sends this as it is. */
  | { raw: string };

type Message = { role: string; content: unknown };
/** What was sent to the model. */
export type StandInRequest = {
  authorization: string | undefined;
  body: { model: string; messages: Message[]; tools?: { function: { name: string } }[] };
  text: string;
};

export type ModelStandIn = {
  /** Base address, as it is configured. */
  url: string;
  requests: StandInRequest[];
  /** What the next calls are answered with, in turn; the last holds for all that follow. */
  answer(...replies: StandInReply[]): void;
  close(): Promise<void>;
};

/** What each call of a model reports to have taken. */
export const STAND_IN_TOKENS = 100;

function sendChunk(res: ServerResponse, delta: object, finish: string | null = null): void {
  const chunk = {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "stand-in",
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
  res.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

function endStream(res: ServerResponse, finish: string): void {
  sendChunk(res, {}, finish);
  const usage = {
    prompt_tokens: STAND_IN_TOKENS - 10,
    completion_tokens: 10,
    total_tokens: STAND_IN_TOKENS,
  };
  const last = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "stand-in" };
  res.write(`data: ${JSON.stringify({ ...last, choices: [], usage })}\n\n`);
  res.end("data: [DONE]\n\n");
}

let calls = 0;

function reply(res: ServerResponse, how: StandInReply): void {
  if ("hangs" in how) {
    return;
  }
  if ("status" in how) {
    res.writeHead(how.status, { "content-type": "application/json" });
    res.end(JSON.stringify({ error: { message: "No.", type: "stand_in" } }));
    return;
  }
  res.writeHead(200, { "content-type": "text/event-stream" });
  if ("raw" in how) {
    res.end(how.raw);
    return;
  }
  if ("cutAfter" in how) {
    for (const content of how.cutAfter) {
      sendChunk(res, { content });
    }
    setImmediate(() => res.destroy());
    return;
  }
  for (const content of how.text ?? []) {
    sendChunk(res, { content });
  }
  if ("calls" in how) {
    how.calls.forEach(({ name, arguments: args }, index) => {
      const text = typeof args === "string" ? args : JSON.stringify(args);
      const called = { name, arguments: text };
      calls += 1;
      const id = `call_${String(calls)}`;
      sendChunk(res, { tool_calls: [{ index, id, type: "function", function: called }] });
    });
    endStream(res, "tool_calls");
    return;
  }
  endStream(res, how.finish ?? "stop");
}

/** Starts a server that speaks the chat protocol of OpenAI, streaming, and answers as a test says. */
export async function startModelStandIn(): Promise<ModelStandIn> {
  const requests: StandInRequest[] = [];
  let replies: StandInReply[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const { authorization } = req.headers;
      requests.push({ authorization, body: JSON.parse(text), text });
      const [next] = replies;
      if (replies.length > 1) {
        replies = replies.slice(1);
      }
      reply(res, next ?? { status: 500 });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    requests,
    answer(...next) {
      replies = next;
      requests.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
