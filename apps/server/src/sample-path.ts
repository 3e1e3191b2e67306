import type { Config } from "./config.ts";

type Upstream = Pick<NonNullable<Config["upstreams"]>[number], "url" | "prefix" | "stripPrefix"> & {
  tokens?: { protocol: string } | undefined;
};

/** A call of the demo API that needs no body and says something. */
const DEMO_SAMPLE_PATH = "/v1/cities/berlin";
/** The list of models, which both protocols of language models answer to a GET. */
const MODELS_PATH = "/v1/models";

/** The list of models as callers ask for it; undefined for an API that speaks neither protocol. */
function modelsPathOf({
  url,
  prefix = "/",
  stripPrefix = false,
  tokens,
}: Upstream): string | undefined {
  if (tokens === undefined || tokens.protocol === "custom") {
    return;
  }
  const own = prefix.replace(/\/+$/, "");
  const sent = new URL(url).pathname.replace(/\/+$/, "") + (stripPrefix ? "" : own);
  return own + (sent.endsWith("/v1") ? MODELS_PATH.slice("/v1".length) : MODELS_PATH);
}

/** Path and query of a call that works with any key, as far as the configuration tells. */
export function samplePathOf({
  landing,
  upstreams,
}: {
  landing: Pick<Config["landing"], "samplePath">;
  upstreams: readonly Upstream[] | undefined;
}): string {
  if (landing.samplePath !== undefined) {
    return landing.samplePath;
  }
  const [first] = upstreams ?? [];
  return first === undefined ? DEMO_SAMPLE_PATH : (modelsPathOf(first) ?? "/");
}
