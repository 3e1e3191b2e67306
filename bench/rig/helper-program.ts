import { join } from "node:path";
import { type Core, nextMessage, type PinnedProcess, startPinned } from "./pinned-process.ts";

export type HelperProgram = PinnedProcess & { port: number };

const PROGRAMS = join(import.meta.dirname, "../programs");
const READY_TIMEOUT_MS = 20_000;

/**
 * Starts a server of `bench/programs` on a core and waits for the port that it reports.
 *
 * @param name - File name without its extension.
 * @param options.readyTimeoutMs - Default 20,000.
 * @throws when it ends or says nothing for so long.
 */
export async function startHelper(
  name: string,
  options: { core: Core; args?: readonly string[]; readyTimeoutMs?: number },
): Promise<HelperProgram> {
  const path = join(PROGRAMS, `${name}.ts`);
  const running = startPinned([process.execPath, path, ...(options.args ?? [])], options);
  try {
    const port = await nextMessage(running.child, {
      who: name,
      signal: AbortSignal.timeout(options.readyTimeoutMs ?? READY_TIMEOUT_MS),
    });
    if (typeof port !== "number") {
      throw new Error(`${name} reported no port.`);
    }
    return { ...running, port };
  } catch (error) {
    await running.stop();
    throw error;
  }
}
