import { fetchJson } from "./fetch-json.ts";

/** What `/config.json` tells every visitor about this deployment. */
export type ClientConfig = {
  brand: { name: string; accent: string | undefined };
  /** Absolute addresses, without a slash at the end. */
  urls: { console: string; api: string; gateway: string };
  version: string;
};

/** `/config.json` answered something that is not a configuration. */
export class ClientConfigError extends Error {
  override readonly name = "ClientConfigError";
}

/**
 * Loads the public configuration of the deployment.
 *
 * @throws {ClientConfigError} When the answer is no success or misses a part.
 */
export async function loadClientConfig(signal: AbortSignal): Promise<ClientConfig> {
  const { status, body } = await fetchJson("/config.json", signal);
  if (status !== 200) {
    throw new ClientConfigError(`/config.json answered with status ${String(status)}`);
  }
  return parseClientConfig(body);
}

/** @throws {ClientConfigError} Naming the first part that is missing. */
export function parseClientConfig(value: unknown): ClientConfig {
  return {
    brand: {
      name: readText(value, ["brand", "name"]),
      accent: findText(value, ["brand", "accent"]),
    },
    urls: {
      console: readUrl(value, ["urls", "console"]),
      api: readUrl(value, ["urls", "api"]),
      gateway: readUrl(value, ["urls", "gateway"]),
    },
    version: readText(value, ["version"]),
  };
}

function readUrl(value: unknown, path: readonly string[]): string {
  const text = readText(value, path);
  if (!URL.canParse(text)) {
    throw new ClientConfigError(`/config.json: ${path.join(".")} is no address`);
  }
  return text.replace(/\/+$/, "");
}

function readText(value: unknown, path: readonly string[]): string {
  const text = findText(value, path);
  if (text === undefined) {
    throw new ClientConfigError(`/config.json: ${path.join(".")} is missing`);
  }
  return text;
}

function findText(value: unknown, path: readonly string[]): string | undefined {
  const found = path.reduce<unknown>(
    (holder, name) =>
      typeof holder === "object" && holder !== null ? Reflect.get(holder, name) : undefined,
    value,
  );
  return typeof found === "string" && found !== "" ? found : undefined;
}
