import type { ModelSettings } from "#modules/agents/index.ts";
import type { Config } from "./config.ts";

/** The language model that the operator configured; undefined for none. */
export function toModelSettings(config: Config): ModelSettings | undefined {
  const { model } = config.intelligence;
  if (model === undefined) {
    return;
  }
  const { url, name, enabled, tokensPerDay, answerTokensMax, timeoutSeconds } = model;
  return {
    url,
    name,
    key: config.modelKey,
    isEnabled: enabled,
    tokensPerDay,
    answerTokensMax,
    timeoutMs: timeoutSeconds * 1_000,
  };
}
