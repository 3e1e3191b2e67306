import { millionKeysBench } from "./million-keys.ts";
import { type Bench, joinResults } from "./rig/bench.ts";
import { verifyRawBench } from "./verify-raw.ts";

/** Everything about verification; each part can be run by itself. */
export const verifyBench: Bench = {
  name: "verify",
  summary:
    "POST /v1/keys/verify with everything on: against raw node:http, against better-auth, with a million keys, at the end of a quota, under a flood of unknown keys.",
  defaults: { seconds: 4, rounds: 4 },
  run: async (options) =>
    joinResults([
      await verifyRawBench.run(options),
      // Rollups are written once a minute: rounds of a few seconds would pay for them too often.
      await millionKeysBench.run({
        ...options,
        seconds: options.seconds * 15,
        rounds: Math.ceil(options.rounds / 2),
      }),
    ]),
};
