import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

// The official clients, unchanged: only their base address and their key are the gateway's.
const gateway = process.env["GATEWAY_URL"] ?? "http://localhost:3001";
const apiKey = process.env["API_KEY"] ?? "";
const maxTokens = Number(process.env["MAX_TOKENS"] ?? 12);

const openai = new OpenAI({ apiKey, baseURL: `${gateway}/openai/v1`, maxRetries: 0 });
const anthropic = new Anthropic({ apiKey, baseURL: `${gateway}/anthropic`, maxRetries: 0 });

const messages = [{ role: "user" as const, content: "What does the toll cost?" }];
const chat = { model: "small", messages, max_completion_tokens: maxTokens };
const response = { model: "small", input: "Hello", max_output_tokens: maxTokens };
const message = { model: "large", messages, max_tokens: maxTokens };

/** `tokens`: input and output, as the answer counts them; left out where a stream does not. */
type Answer = { text: string | null; tokens?: [input: number, output: number] };

const CALLS: Record<string, () => Promise<Answer>> = {
  chat: async () => {
    const { choices, usage } = await openai.chat.completions.create(chat);
    return {
      text: choices[0]?.message.content ?? null,
      tokens: [usage?.prompt_tokens ?? 0, usage?.completion_tokens ?? 0],
    };
  },
  chatStream: async () => {
    let text = "";
    for await (const { choices } of await openai.chat.completions.create({
      ...chat,
      stream: true,
    })) {
      text += choices[0]?.delta.content ?? "no choice";
    }
    return { text: text.trim() };
  },
  response: async () => {
    const { output_text: text, usage } = await openai.responses.create(response);
    return { text, tokens: [usage?.input_tokens ?? 0, usage?.output_tokens ?? 0] };
  },
  responseStream: async () => {
    let text = "";
    for await (const event of await openai.responses.create({ ...response, stream: true })) {
      text += event.type === "response.output_text.delta" ? event.delta : "";
    }
    return { text: text.trim() };
  },
  embedding: async () => {
    const { data, usage } = await openai.embeddings.create({
      model: "small",
      input: "toll",
      encoding_format: "float",
    });
    return { text: data[0]?.embedding.join(" ") ?? null, tokens: [usage.prompt_tokens, 0] };
  },
  message: async () => {
    const { content, usage } = await anthropic.messages.create(message);
    const [block] = content;
    return {
      text: block?.type === "text" ? block.text : null,
      tokens: [usage.input_tokens, usage.output_tokens],
    };
  },
  messageStream: async () => {
    const stream = anthropic.messages.stream(message);
    const { usage } = await stream.finalMessage();
    return {
      text: (await stream.finalText()).trim(),
      tokens: [usage.input_tokens, usage.output_tokens],
    };
  },
};

/** What a client makes of an answer, or of a refusal. */
async function run(call: () => Promise<Answer>): Promise<object> {
  try {
    return await call();
  } catch (error) {
    if (
      error instanceof OpenAI.APIConnectionError ||
      error instanceof Anthropic.APIConnectionError
    ) {
      throw new Error(
        `No answer from ${gateway}. GATEWAY_URL is the address that the start prints.`,
        {
          cause: error,
        },
      );
    }
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
