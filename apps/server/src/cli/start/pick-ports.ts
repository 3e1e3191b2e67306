import { probePort } from "#platform/listen.ts";
import { StartupError } from "#platform/startup-error.ts";

export type Ports = { people: number; programs: number };

/** The defaults, then others that are easy to remember. */
const FIRST = [3000, 3100, 4000, 4100, 5100, 7000, 9100];
const HOST = "127.0.0.1";

async function isFree(port: number): Promise<boolean> {
  try {
    await probePort({ port, host: HOST, variable: "PORT" });
    return true;
  } catch (error) {
    if (error instanceof StartupError) {
      return false;
    }
    throw error;
  }
}

/**
 * Finds two ports in a row that are free, the usual ones first: the API that is put behind often has them itself.
 *
 * @param upstreamPort - Never taken, also while nothing listens there yet.
 * @returns 0 for both, which take any, when none of the usual ones is free.
 */
export async function pickPorts(upstreamPort: number | undefined): Promise<Ports> {
  for (const people of FIRST) {
    const ports = [people, people + 1];
    const isTaken = upstreamPort !== undefined && ports.includes(upstreamPort);
    if (!isTaken && (await Promise.all(ports.map(isFree))).every(Boolean)) {
      return { people, programs: people + 1 };
    }
  }
  return { people: 0, programs: 0 };
}
