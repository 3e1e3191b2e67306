import type { LanguageModelMiddleware, wrapLanguageModel } from "ai";
import { type ConfiguredFetch, createConfiguredFetch } from "#platform/configured-fetch.ts";
import type { ModelSettings } from "./model-settings.ts";

/** What the library asks. */
export type LanguageModel = Parameters<typeof wrapLanguageModel>[0]["model"];
export type Middleware = LanguageModelMiddleware;

/** No answer of a step is larger. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** Makes the model of an endpoint; its library is loaded when it is first asked. */
export function createModelOpener(settings: ModelSettings): () => Promise<LanguageModel> {
  let call: ConfiguredFetch | undefined;
  return async () => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    call ??= createConfiguredFetch(settings.url, { bytesMax: ANSWER_BYTES_MAX });
    const provider = createOpenAICompatible({
      baseURL: settings.url,
      name: "model",
      includeUsage: true,
      fetch: call,
      ...(settings.key === undefined ? {} : { apiKey: settings.key }),
    });
    return provider(settings.name);
  };
}
