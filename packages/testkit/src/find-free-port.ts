import { probePort } from "../../../apps/server/src/platform/listen.ts";

/** A port that was free a moment ago, on every address of IPv4. Prefer to listen on 0 where the code under test can. */
export function findFreePort(): Promise<number> {
  return probePort({ port: 0, host: "0.0.0.0", variable: "PORT" });
}
