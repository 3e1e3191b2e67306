import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { pollUntil } from "../poll-until.ts";
import { isListening, keepNginxInFolder } from "../proxy-process.ts";
import { type LoggedProgram, startLogged } from "./logged-program.ts";
import { type NodePlace, readRecipe } from "./recipe.ts";

const run = promisify(execFile);
const CHECK_TIMEOUT_MS = 10_000;

export type BalancerName = "haproxy" | "nginx";

/**
 * Starts a load balancer with the configuration of `packaging/`, after it has checked it itself.
 *
 * @param input.folder - Where it may write.
 * @param input.edit - Changes the configuration as its reader might.
 * @throws with the words of the program when it refuses the configuration.
 */
export async function startBalancer(
  name: BalancerName,
  input: {
    folder: string;
    at: NodePlace;
    nodes: readonly NodePlace[];
    edit?: (config: string) => string;
  },
): Promise<LoggedProgram> {
  const { folder, at } = input;
  await mkdir(folder, { recursive: true });
  const written = await readRecipe(name, input);
  const recipe = input.edit?.(written) ?? written;
  const path = join(folder, `${name}.conf`);
  await writeFile(path, name === "nginx" ? keepNginxInFolder(recipe, folder) : recipe);
  const options = name === "nginx" ? ["-p", folder, "-c", path] : ["-f", path];
  const check = name === "nginx" ? "-t" : "-c";
  const [program = "", ...args] = [...at.within, name, check, ...options];
  await run(program, args, { timeout: CHECK_TIMEOUT_MS });
  const balancer = await startLogged({
    command: name === "nginx" ? [name, ...options] : [name, "-db", ...options],
    place: at,
    logPath: join(folder, `${name}.log`),
  });
  await pollUntil(`${name} listens`, async () => {
    if (balancer.hasEnded()) {
      throw new Error(`${name} ended (${await balancer.ended}); its log is ${balancer.logPath}`);
    }
    return await isListening(at.gatewayPort, at.host);
  });
  return balancer;
}
