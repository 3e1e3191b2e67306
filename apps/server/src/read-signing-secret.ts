import { ensureSecretFile } from "#platform/secret-file.ts";
import type { Config } from "./config.ts";
import { dataPath } from "./deps.ts";

/** The secret of `X-Turnpike-Signature`. @throws {StartupError} `SECRET_FILE_UNUSABLE` when its file holds none. */
export async function readSigningSecret(config: Config): Promise<string> {
  return (
    config.signingSecret ?? (await ensureSecretFile(dataPath(config, "secrets"), "signing-secret"))
  );
}
