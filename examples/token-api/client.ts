import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

// The official clients, unchanged: only their base address and their key are the gateway's.
const gateway = process.env["GATEWAY_URL"] ?? "http://127.0.0.1:3001";
const apiKey = process.env["API_KEY"] ?? "";
const maxTokens = Number(process.env["MAX_TOKENS"] ?? 12);

const openai = new OpenAI({ apiKey, baseURL: `${gateway}/openai/v1`, maxRetries: 0 });
const anthropic = new Anthropic({ apiKey, baseURL: `${gateway}/anthropic`, maxRetries: 0 });

const messages = [{ role: "user" as const, content: "What does the toll cost?" }];
const chat = { model: "small", messages, max_completion_tokens: maxTokens };
const response = { model: "small", input: "Hello", max_output_tokens: maxTokens };
const message = { model: "large", messages, max_tokens: maxTokens };

const CALLS: Record<string, () => Promise<string | null>> = {
  chat: async () =>
    (await openai.chat.completions.create(chat)).choices[0]?.message.content ?? null,
  chatStream: async () => {
    let text = "";
    for await (const { choices } of await openai.chat.completions.create({
      ...chat,
      stream: true,
    })) {
      text += choices[0]?.delta.content ?? "no choice";
    }
    return text.trim();
  },
  response: async () => (await openai.responses.create(response)).output_text,
  responseStream: async () => {
    let text = "";
    for await (const event of await openai.responses.create({ ...response, stream: true })) {
      text += event.type === "response.output_text.delta" ? event.delta : "";
    }
    return text.trim();
  },
  embedding: async () => {
    const { data } = await openai.embeddings.create({
      model: "small",
      input: "toll",
      encoding_format: "float",
    });
    return data[0]?.embedding.join(" ") ?? null;
  },
  message: async () => {
    const [block] = (await anthropic.messages.create(message)).content;
    return block?.type === "text" ? block.text : null;
  },
  messageStream: async () => (await anthropic.messages.stream(message).finalText()).trim(),
};

/** What a client makes of an answer, or of a refusal. */
async function run(call: () => Promise<string | null>): Promise<object> {
  try {
    return { text: await call() };
  } catch (error) {
    if (error instanceof OpenAI.APIError || error instanceof Anthropic.APIError) {
      const { type, code } = { code: undefined, ...error };
      return { error: error.constructor.name, status: error.status, type, code };
    }
    throw error;
  }
}

for (const [name, call] of Object.entries(CALLS)) {
  process.stdout.write(`${JSON.stringify({ call: name, ...(await run(call)) })}\n`);
}
