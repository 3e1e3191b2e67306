import { pollUntil } from "../poll-until.ts";
import type { NodePlace } from "./recipe.ts";

/** What callers heard of the calls of one key. */
export type Heard = {
  /** Let through. */
  accepted: number;
  /** Answered otherwise. */
  refused: number;
  /** Without an answer, or with a fault: they may count or not. */
  unknown: number;
};

/** Programs that verify keys all the time, some at each node, so that a node that is gone holds up its own alone. */
export type VerifyLoad = {
  heard(key: string): Heard;
  /** Answered with a verdict so far, of all keys. */
  answered(): number;
  /** Waits until so many more calls were answered with a verdict. */
  more(count: number): Promise<void>;
  /** Seconds since the first call. */
  elapsedSeconds(): number;
  /** Waits for the calls under way. */
  stop(): Promise<void>;
};

/** A caller waits for the disk with each call: several share a flush. */
const CALLERS_A_NODE = 4;
/** Ends what hangs: a node that is cut off answers late, and so does a busy machine. */
const MORE_DEADLINE_MS = 600_000;
const ANSWER_TIMEOUT_MS = 3_000;

/** @param input.keys - In turn. */
export function startVerifyLoad(input: {
  nodes: readonly NodePlace[];
  serviceKey: string;
  keys: readonly string[];
}): VerifyLoad {
  const tallies = new Map<string, Heard>(
    input.keys.map((key) => [key, { accepted: 0, refused: 0, unknown: 0 }]),
  );
  const startedAtMs = performance.now();
  let isOver = false;
  const find = (key: string): Heard => {
    const tally = tallies.get(key);
    if (tally === undefined) {
      throw new Error("No caller has this key.");
    }
    return tally;
  };
  const answered = () =>
    [...tallies.values()].reduce((sum, { accepted, refused }) => sum + accepted + refused, 0);

  async function callOnce(node: NodePlace, key: string): Promise<void> {
    const tally = find(key);
    const verdict = await askVerdict(node, { serviceKey: input.serviceKey, key });
    if (verdict === undefined) {
      tally.unknown += 1;
    } else if (verdict) {
      tally.accepted += 1;
    } else {
      tally.refused += 1;
    }
  }

  async function callOn(node: NodePlace): Promise<void> {
    for (let turn = 0; !isOver; turn += 1) {
      await callOnce(node, input.keys[turn % input.keys.length] ?? "");
    }
  }

  const callers = input.nodes.flatMap((node) =>
    Array.from({ length: CALLERS_A_NODE }, () => callOn(node)),
  );
  return {
    heard: (key) => ({ ...find(key) }),
    answered,
    async more(count) {
      const enough = answered() + count;
      await pollUntil(
        `${String(count)} more calls are answered`,
        () => answered() >= enough,
        MORE_DEADLINE_MS,
      );
    },
    elapsedSeconds: () => (performance.now() - startedAtMs) / 1_000,
    async stop() {
      isOver = true;
      await Promise.all(callers);
    },
  };
}

/** @returns Undefined when the node gives none. */
async function askVerdict(
  { host, port }: NodePlace,
  { serviceKey, key }: { serviceKey: string; key: string },
): Promise<boolean | undefined> {
  try {
    const reply = await fetch(`http://${host}:${String(port)}/v1/keys/verify`, {
      method: "POST",
      headers: { authorization: `Bearer ${serviceKey}`, "content-type": "application/json" },
      body: JSON.stringify({ key }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const verdict = (await reply.json()) as { valid?: boolean };
    return reply.status === 200 ? verdict.valid : undefined;
  } catch {
    // Which of the many ways a call can fail while its node is killed or cut off does not matter here.
    return undefined;
  }
}
