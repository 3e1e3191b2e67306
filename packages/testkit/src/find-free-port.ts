import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ports that systems give to outgoing connections (from 32768 on Linux, 49152 elsewhere): one of those can be
 * taken by any connection of the machine between being found and being listened on.
 */
const PORT_MIN = 10_000;
const PORT_END = 32_000;
const ATTEMPTS_MAX = 100;

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}

/** A port that was free a moment ago, on every address. Prefer to listen on 0 where the code under test can. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const port = randomInt(PORT_MIN, PORT_END);
    if (await isFree(port)) {
      return port;
    }
  }
  throw new Error(`None of ${String(ATTEMPTS_MAX)} ports that were tried is free.`);
}
