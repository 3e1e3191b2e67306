import { type Config, readConfig } from "../config.ts";

/** A command reports its own result, so the log needs warnings and errors only, unless the environment says otherwise. */
export function readCommandConfig(...input: Parameters<typeof readConfig>): Config {
  const config = readConfig(...input);
  const [env] = input;
  return env["TURNPIKE_LOG_LEVEL"] ? config : { ...config, logLevel: "warn" };
}
