import { z } from "zod";

const pointer = z
  .string()
  .max(200)
  .regex(/^\/(?:[^~]|~[01])*$/, "A JSON pointer such as /usage/total_tokens.")
  .describe("A JSON pointer.");
const pointers = (what: string) => z.array(pointer).max(20).optional().describe(what);

const meter = z.strictObject({
  meter: z
    .string()
    .min(1)
    .max(63)
    .describe("Id of a meter of the catalogue that no events feed, as `requests` is."),
  counts: z
    .array(z.enum(["input", "cacheRead", "cacheWrite", "output"]))
    .min(1)
    .max(4)
    .describe(
      "Which tokens it counts. Cached tokens count as `input` unless a meter names them on their own.",
    ),
  models: z
    .array(z.string().min(1).max(100).describe("A name, or its beginning with `*` at the end."))
    .min(1)
    .max(100)
    .optional()
    .describe(
      "Models of the request that it is for. Left out: every model that no meter before it in the list takes.",
    ),
  weight: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1)
    .describe("Units of the meter for one token, such as credits by model."),
});

/** How an upstream that answers with tokens is metered. */
export const tokensSection = z
  .strictObject({
    protocol: z
      .enum(["openai", "anthropic", "custom"])
      .describe(
        "Where requests and answers say what: `openai` (chat completions, completions, responses, embeddings), `anthropic` (messages), or `custom`, which needs `paths` and `pointers`. The first two also decide the form of refusals, so that their clients understand them.",
      ),
    meters: z
      .array(meter)
      .min(1)
      .max(50)
      .describe(
        "The meters that tokens go to. For each kind of token the first that fits counts it.",
      ),
    paths: z
      .array(z.string().startsWith("/").min(2).max(200).describe("Such as `/chat/completions`."))
      .min(1)
      .max(50)
      .optional()
      .describe("Ends of the paths that answer with tokens. Left out: those of the protocol."),
    pointers: z
      .strictObject({
        model: pointer.optional().describe("In the request: the model."),
        outputMax: pointers(
          "In the request: the most tokens that the answer may have. Of several, the largest counts.",
        ),
        copies: pointers("In the request: how many answers it asks for."),
        input: pointers(
          "In the answer: tokens of the prompt. Of several places, the one that was read last counts; so for the following.",
        ),
        cacheRead: pointers("In the answer: tokens read from a cache."),
        cacheWrite: pointers("In the answer: tokens written to a cache."),
        output: pointers("In the answer: tokens of output."),
        answerModel: pointers("In the answer: the model."),
        text: pointers("In the answer: its text, for an estimate where it does not say."),
      })
      .optional()
      .describe(
        "Places that replace those of the protocol: `model`, `outputMax` and `copies` of the request; `input`, `cacheRead`, `cacheWrite`, `output`, `answerModel` and `text` of the answer or of the events of its stream.",
      ),
    outputTokensDefault: z
      .int()
      .min(0)
      .max(10_000_000)
      .default(4_096)
      .describe("Tokens of output that are reserved where the request states no bound."),
    inputTokensMax: z
      .int()
      .min(1)
      .max(100_000_000)
      .default(1_000_000)
      .describe("The most tokens that are reserved for a prompt: what the largest model takes."),
    bytesPerToken: z
      .int()
      .min(1)
      .max(8)
      .default(1)
      .describe(
        "Bytes of a request for one token of its prompt, when reserving. 1 is an upper bound for text; English has about 4.",
      ),
    requestBytesMax: z
      .int()
      .min(1_024)
      .max(64 * 1024 * 1024)
      .default(10 * 1024 * 1024)
      .describe("The largest body of such a call, in bytes: it is held until the call is decided."),
    asksStreamUsage: z
      .boolean()
      .default(true)
      .describe(
        "Adds `stream_options.include_usage` to streams of `openai` whose client does not ask for it, and keeps the event with the usage from that client.",
      ),
    readOnSeconds: z
      .int()
      .min(0)
      .max(3_600)
      .default(60)
      .describe(
        "How long an answer is read on whose client has left, so that it is billed exactly, in seconds. 0 drops it, and what came is estimated.",
      ),
    modelFrom: z
      .enum(["request", "answer"])
      .default("request")
      .describe(
        "Whose name of the model tokens are counted under in usage: that of the request, or that of the answer where it names one. Meters are chosen by that of the request in any case.",
      ),
  })
  .refine(
    ({ protocol, paths, pointers: places }) =>
      protocol !== "custom" || (paths !== undefined && places !== undefined),
    "`custom` needs `paths` and `pointers`.",
  );
