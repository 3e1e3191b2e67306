import { createHash } from "node:crypto";
import { Valkey } from "iovalkey";
import { fromRateNumbers, toRateNumbers } from "./rate-numbers.ts";
import type { RateStore } from "./rate-store.ts";

/** Numbers are sent as doubles: a text of each would be read anew by both sides. */
const DOUBLE_BYTES = 8;
const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_MS_MAX = 1_000;
/** Groups that wait for their answer on the one connection; further calls join the next one. */
const GROUPS_MAX = 16;

/** Milliseconds since 2026: of a time since 1970, a double would keep too few digits for the fastest limits. */
const READ_CLOCK = `
local time = redis.call('TIME')
local now = (time[1] - 1767225600) * 1000 + time[2] / 1000
`;

/**
 * The rule of `decideRateLimit` for a group of requests. KEYS: the mark of this store, then the buckets. All of them were empty
 * when the mark was made, or emptier than that since.
 */
const DECIDE = `${READ_CLOCK}
local since = redis.call('HGET', KEYS[1], 'since')
if not since then
  since = string.format('%.17g', now)
  redis.call('HSET', KEYS[1], 'since', since)
end
since = tonumber(since)
local full, changed = {}, {}
local stored = redis.call('MGET', unpack(KEYS, 2))
for place = 1, #stored do
  full[place] = stored[place] and struct.unpack('<d', stored[place])
end
local numbers, position, answer = ARGV[1], 1, {}
while position <= #numbers do
  local cost, forced, count
  cost, forced, count, position = struct.unpack('<ddd', numbers, position)
  local passes, places, before, after = true, {}, {}, {}
  for index = 1, count do
    local place, step, window
    place, step, window, position = struct.unpack('<ddd', numbers, position)
    local empty = now + window
    local level = math.min(math.max(full[place] or now, since + window, now), empty)
    local nextLevel = level + cost * step
    if forced == 1 then
      nextLevel = math.min(math.max(nextLevel, now), empty)
    elseif nextLevel - empty > math.min(step * 0.001, 0.001) then
      passes = false
    end
    places[index], before[index], after[index] = place, level, nextLevel
  end
  answer[#answer + 1] = struct.pack('<d', passes and 1 or 0)
  for index = 1, count do
    local level = before[index]
    if passes then
      level = after[index]
      if cost ~= 0 then
        full[places[index]] = level
        changed[places[index]] = true
      end
    end
    answer[#answer + 1] = struct.pack('<d', level - now)
  end
end
for place in pairs(changed) do
  local level = full[place]
  redis.call('SET', KEYS[place + 1], struct.pack('<d', level), 'PX', math.max(1, math.ceil(level - now)))
end
return table.concat(answer)
`;

/**
 * KEYS: the mark, the members. ARGV: member, milliseconds that it counts, 1 for one that has used this store before. A server that
 * was started anew, or has taken over from another, may hold buckets as they were a while ago: they start empty as well.
 */
const JOIN = `${READ_CLOCK}
local server = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local known = redis.call('HGET', KEYS[1], 'server')
if known ~= server then
  local isLost = known or ARGV[3] == '1'
  redis.call('HSET', KEYS[1], 'server', server, 'since', isLost and string.format('%.17g', now) or '-1e15')
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return redis.call('ZRANGE', KEYS[2], 0, -1)
`;

class NotJoinedError extends Error {
  override readonly name = "NotJoinedError";
}

type Script = { text: string; sha: string };

function toScript(text: string): Script {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

const DECIDE_SCRIPT = toScript(DECIDE);
const JOIN_SCRIPT = toScript(JOIN);

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}

function toBytes(numbers: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(numbers.length * DOUBLE_BYTES);
  for (const [index, number] of numbers.entries()) {
    bytes.writeDoubleLE(number, index * DOUBLE_BYTES);
  }
  return bytes;
}

function toNumbers(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / DOUBLE_BYTES }, (_, index) =>
    bytes.readDoubleLE(index * DOUBLE_BYTES),
  );
}

/**
 * Keeps buckets in Valkey or Redis: one call of a script for each group of requests, on one connection. Nothing waits for a
 * connection that is not there: it fails at once.
 *
 * @param options.prefix - Of all keys, so that installations can share a server. All of them are in one slot.
 * @param options.onError - Gets errors of the connection, also of those that no request waits for.
 */
export function openValkeyRateStore(options: {
  url: string;
  prefix: string;
  onError?: (error: Error) => void;
}): RateStore {
  const client = new Valkey(options.url.replace(/^valkey(s?):/, "redis$1:"), {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: (attempts) => Math.min(RECONNECT_MS_MAX, attempts * 100),
  });
  client.on("error", options.onError ?? (() => undefined));
  // What is behind a new connection may have lost buckets, which a process that joins finds out.
  let hasJoined = false;
  client.on("close", () => {
    hasJoined = false;
  });
  const keyOf = (name: string) => `{${options.prefix}}:${name}`;
  const since = keyOf("since");
  const members = keyOf("members");

  async function run(
    { text, sha }: Script,
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
  ): Promise<unknown> {
    const rest = [keys.length, ...keys, ...args] as const;
    try {
      return await client.callBuffer("EVALSHA", sha, ...rest);
    } catch (error) {
      // A server that was started anew; it knows the script from now on.
      if (isUnknownScript(error)) {
        return await client.callBuffer("EVAL", text, ...rest);
      }
      throw error;
    }
  }

  return {
    kind: "valkey",
    groupsMax: GROUPS_MAX,
    async decide(requests) {
      if (!hasJoined) {
        throw new NotJoinedError("The connection to the store of rate limits was lost.");
      }
      const { names, numbers } = toRateNumbers(requests);
      if (names.length === 0) {
        return requests.map(() => ({ isTaken: true, levelsMs: [] }));
      }
      const keys = [since, ...names.map((name) => keyOf(`rate:${name}`))];
      const answer = await run(DECIDE_SCRIPT, keys, [toBytes(numbers)]);
      if (!Buffer.isBuffer(answer)) {
        throw new TypeError("The store of rate limits gave no answer of this script.");
      }
      return fromRateNumbers(requests, toNumbers(answer));
    },
    async join({ member, ttlMs, isBack }) {
      const living = await run(JOIN_SCRIPT, [since, members], [member, ttlMs, isBack ? "1" : "0"]);
      hasJoined = true;
      return Array.isArray(living) ? living.map(String) : [];
    },
    async leave(member) {
      await client.zrem(members, member);
    },
    close: () => {
      client.disconnect();
      return Promise.resolve();
    },
  };
}
