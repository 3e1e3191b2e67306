/** Where a protocol says what. Of several places, the one that was read last counts: streams repeat growing sums. */
export type TokenPointers = {
  /** In the request. */
  model: string;
  outputMax: readonly string[];
  /** How many answers are asked for at once. */
  copies: readonly string[];
  /** In the answer, or in the events of its stream. */
  input: readonly string[];
  cacheRead: readonly string[];
  cacheWrite: readonly string[];
  output: readonly string[];
  /** The model that answered. */
  answerModel: readonly string[];
  /** Text of the answer: what an estimate counts where the answer says nothing of tokens. */
  text: readonly string[];
};

export type TokenProtocol = {
  pointers: TokenPointers;
  /** Ends of the paths that answer with tokens. */
  paths: readonly string[];
  /** Those of them whose answers have no tokens of output. */
  inputOnlyPaths: readonly string[];
  /** True when `input` includes `cacheRead`. */
  inputIncludesCached: boolean;
  /** Ends of the paths whose streams say what was used only when the request asks for it. */
  askedUsagePaths: readonly string[];
};

const OPENAI: TokenProtocol = {
  pointers: {
    model: "/model",
    outputMax: ["/max_completion_tokens", "/max_tokens", "/max_output_tokens"],
    copies: ["/n", "/best_of"],
    input: ["/usage/prompt_tokens", "/usage/input_tokens", "/response/usage/input_tokens"],
    cacheRead: [
      "/usage/prompt_tokens_details/cached_tokens",
      "/usage/input_tokens_details/cached_tokens",
      "/response/usage/input_tokens_details/cached_tokens",
    ],
    cacheWrite: [],
    output: ["/usage/completion_tokens", "/usage/output_tokens", "/response/usage/output_tokens"],
    answerModel: ["/model", "/response/model"],
    text: [
      "/choices/0/delta/content",
      "/choices/0/delta/reasoning_content",
      "/choices/0/delta/refusal",
      "/choices/0/delta/tool_calls/0/function/arguments",
      "/choices/0/message/content",
      "/choices/0/text",
      "/delta",
      "/output/0/content/0/text",
    ],
  },
  paths: ["/chat/completions", "/completions", "/responses", "/embeddings"],
  inputOnlyPaths: ["/embeddings"],
  inputIncludesCached: true,
  askedUsagePaths: ["/chat/completions", "/completions"],
};

const ANTHROPIC: TokenProtocol = {
  pointers: {
    model: "/model",
    outputMax: ["/max_tokens"],
    copies: [],
    input: ["/message/usage/input_tokens", "/usage/input_tokens"],
    cacheRead: ["/message/usage/cache_read_input_tokens", "/usage/cache_read_input_tokens"],
    cacheWrite: [
      "/message/usage/cache_creation_input_tokens",
      "/usage/cache_creation_input_tokens",
    ],
    output: ["/message/usage/output_tokens", "/usage/output_tokens"],
    answerModel: ["/message/model", "/model"],
    text: [
      "/delta/text",
      "/delta/thinking",
      "/delta/partial_json",
      "/content/0/text",
      "/content/0/thinking",
    ],
  },
  paths: ["/messages", "/complete"],
  inputOnlyPaths: [],
  inputIncludesCached: false,
  askedUsagePaths: [],
};

/** A form of its own: everything comes from the configuration. */
const CUSTOM: TokenProtocol = {
  pointers: {
    model: "/model",
    outputMax: [],
    copies: [],
    input: [],
    cacheRead: [],
    cacheWrite: [],
    output: [],
    answerModel: [],
    text: [],
  },
  paths: [],
  inputOnlyPaths: [],
  inputIncludesCached: false,
  askedUsagePaths: [],
};

export const TOKEN_PROTOCOLS = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  custom: CUSTOM,
} as const satisfies Record<string, TokenProtocol>;

export type TokenProtocolName = keyof typeof TOKEN_PROTOCOLS;
