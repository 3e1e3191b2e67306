import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** A stand-in for APIs of language models: it answers in the protocols of OpenAI and Anthropic, a word for each token. */

type Asked = {
  model?: string;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  max_tokens?: number;
  max_completion_tokens?: number;
  max_output_tokens?: number;
};

type Event = { type?: string; [field: string]: unknown };

const WORDS = "the toll is paid by the word and the barrier opens at once".split(" ");

function write(max = 16): string[] {
  return Array.from({ length: Math.min(max, 1_000) }, (_, at) => WORDS[at % WORDS.length] ?? "");
}

function countPrompt(text: string): number {
  return text.split(/\s+/).length;
}

function sendJson(res: ServerResponse, body: unknown): void {
  res.writeHead(200, { "content-type": "application/json" });
  res.end(JSON.stringify(body));
}

function sendEvents(res: ServerResponse, events: readonly Event[], isNamed: boolean): void {
  res.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    res.write(`${isNamed ? `event: ${event.type ?? ""}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
  }
  res.end(isNamed ? undefined : "data: [DONE]\n\n");
}

function answerChat(res: ServerResponse, asked: Asked, prompt: number): void {
  const words = write(asked.max_completion_tokens ?? asked.max_tokens);
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: words.length,
    total_tokens: prompt + words.length,
  };
  const head = { id: "chatcmpl-1", created: 0, model: asked.model };
  if (asked.stream !== true) {
    const message = { role: "assistant", content: words.join(" ") };
    const choices = [{ index: 0, finish_reason: "stop", message }];
    sendJson(res, { ...head, object: "chat.completion", choices, usage });
    return;
  }
  const chunk = { ...head, object: "chat.completion.chunk" };
  const events: Event[] = words.map((word) => ({
    ...chunk,
    choices: [{ index: 0, finish_reason: null, delta: { content: `${word} ` } }],
  }));
  if (asked.stream_options?.include_usage === true) {
    events.push({ ...chunk, choices: [], usage });
  }
  sendEvents(res, events, false);
}

function answerResponse(res: ServerResponse, asked: Asked, prompt: number): void {
  const words = write(asked.max_output_tokens);
  const text = words.join(" ");
  const content = [{ type: "output_text", text, annotations: [] }];
  const response = {
    id: "resp_1",
    object: "response",
    status: "completed",
    model: asked.model,
    output: [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content }],
    usage: {
      input_tokens: prompt,
      output_tokens: words.length,
      total_tokens: prompt + words.length,
    },
  };
  if (asked.stream !== true) {
    sendJson(res, response);
    return;
  }
  const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const deltas = words.map((word) => ({
    type: "response.output_text.delta",
    ...place,
    delta: `${word} `,
  }));
  sendEvents(res, [...deltas, { type: "response.completed", response }], true);
}

function answerMessage(res: ServerResponse, asked: Asked, prompt: number): void {
  const words = write(asked.max_tokens);
  const head = { id: "msg_1", type: "message", role: "assistant", model: asked.model };
  if (asked.stream !== true) {
    sendJson(res, {
      ...head,
      content: [{ type: "text", text: words.join(" ") }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: prompt, output_tokens: words.length },
    });
    return;
  }
  const usage = { input_tokens: prompt, output_tokens: 1 };
  sendEvents(
    res,
    [
      { type: "message_start", message: { ...head, content: [], stop_reason: null, usage } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      ...words.map((word) => ({
        type: "content_block_delta",
        index: 0,
        delta: { type: "text_delta", text: `${word} ` },
      })),
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { output_tokens: words.length },
      },
      { type: "message_stop" },
    ],
    true,
  );
}

function answerEmbedding(res: ServerResponse, asked: Asked, prompt: number): void {
  sendJson(res, {
    object: "list",
    model: asked.model,
    data: [{ object: "embedding", index: 0, embedding: [0.25, -0.5] }],
    usage: { prompt_tokens: prompt, total_tokens: prompt },
  });
}

const ANSWERS: Record<string, typeof answerChat> = {
  "/v1/chat/completions": answerChat,
  "/v1/responses": answerResponse,
  "/v1/embeddings": answerEmbedding,
  "/v1/messages": answerMessage,
};

const MODELS = ["small", "large"].map((id) => ({ id, object: "model", owned_by: "turnpike" }));

async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method === "GET" && req.url === "/v1/models") {
    sendJson(res, { object: "list", data: MODELS });
    return;
  }
  const answer = ANSWERS[req.url ?? ""];
  if (req.method !== "POST" || answer === undefined) {
    res.writeHead(404).end();
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of req) {
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  answer(res, JSON.parse(text), countPrompt(text));
}

const server = createServer((req, res) => {
  serve(req, res).catch(() => res.destroy());
});
server.listen(Number(process.env["PORT"] ?? 8000), "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  process.stdout.write(`Listening on http://127.0.0.1:${String(port)}\n`);
});
