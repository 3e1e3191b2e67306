import { createHash } from "node:crypto";
import { Valkey } from "iovalkey";
import { z } from "zod";
import { fromRateNumbers, toRateNumbers } from "./rate-numbers.ts";
import type { RateMembers, RateStore } from "./rate-store.ts";

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
 * The rules of `decideRateLimit`, `takePassedCalls` and `findFullPlaces` for a group of requests. KEYS: the mark of this store, its members, what this
 * one holds, what is held beyond a share, then the buckets, then the places. ARGV: numbers, the member, the number of buckets. All
 * buckets were empty when the mark was made, or emptier than that since. A full bucket is kept for another minute: calls that passed beside
 * the store may take of that time what it could have given.
 */
const DECIDE = `${READ_CLOCK}
local since = redis.call('HGET', KEYS[1], 'since')
if not since then
  since = string.format('%.17g', now)
  redis.call('HSET', KEYS[1], 'since', since)
end
since = tonumber(since)
local function read(command, from, to, ...)
  local values, before = {}, {...}
  for at = from, to, 1000 do
    local keys = {unpack(before)}
    for index = at, math.min(to, at + 999) do
      keys[#keys + 1] = KEYS[index]
    end
    for _, value in ipairs(redis.call(command, unpack(keys))) do
      values[#values + 1] = value
    end
  end
  return values
end
local buckets = tonumber(ARGV[3])
local firstPlace = 4 + buckets
local full, changed = {}, {}
for place, stored in ipairs(read('MGET', 5, firstPlace)) do
  full[place] = stored and struct.unpack('<d', stored)
end
local total, own, most, touched, mustShare = {}, {}, {}, {}, false
if #KEYS > firstPlace then
  local living = redis.call('ZSCORE', KEYS[2], ARGV[2])
  if not living or tonumber(living) <= now then
    return redis.error_reply('GONE The process was taken for gone')
  end
  mustShare = now < tonumber(redis.call('HGET', KEYS[1], 'share') or '-1e15')
  for place, stored in ipairs(read('MGET', firstPlace + 1, #KEYS)) do
    total[place] = tonumber(stored or 0)
  end
  for place, stored in ipairs(read('HMGET', firstPlace + 1, #KEYS, KEYS[3])) do
    own[place] = tonumber(stored or 0)
  end
end
local numbers, position, answer = ARGV[1], 1, {}
local returned
returned, position = struct.unpack('<d', numbers, position)
for _ = 1, returned do
  local place, count
  place, count, position = struct.unpack('<dd', numbers, position)
  count = math.min(count, own[place])
  own[place] = own[place] - count
  total[place] = math.max(0, total[place] - count)
  touched[place] = true
end
while position <= #numbers do
  local cost, passed, count
  cost, passed, count, position = struct.unpack('<ddd', numbers, position)
  local verdict, places, before, after = 1, {}, {}, {}
  for index = 1, count do
    local place, step, window
    place, step, window, position = struct.unpack('<ddd', numbers, position)
    local empty = now + window
    local owed = math.max(window, 60000)
    local known = math.max(full[place] or -1e15, since + window)
    local level = math.min(math.max(known, now), empty + owed)
    local nextLevel = level + cost * step
    if passed > 0 and cost > 0 then
      local beside = passed - 1
      local start = math.max(known, now - beside)
      local cap = math.max(empty + math.max(window, beside), start + math.min(cost * step, beside))
      nextLevel = math.max(level, math.min(start + cost * step, cap, empty + owed))
    elseif passed > 0 then
      nextLevel = math.max(nextLevel, now)
    elseif cost > 0 and nextLevel - empty > math.min(step * 0.001, 0.001) then
      verdict = 0
    end
    places[index], before[index], after[index] = place, level, nextLevel
  end
  local placeCount
  placeCount, position = struct.unpack('<d', numbers, position)
  local held, limits = {}, {}
  for index = 1, placeCount do
    local place, limit, ownMax, share
    place, limit, ownMax, share, position = struct.unpack('<dddd', numbers, position)
    held[index], limits[index] = place, limit
    if cost > 0 and verdict >= 0 then
      local whole = index > 1 and limits[index - 1] - total[held[index - 1]] - cost
      if total[place] + cost > limit or mustShare and own[place] + cost > ownMax
        or whole and share > 0 and share < 100 and total[place] > 0
        and (total[place] + cost) * (100 - share) > whole * share then
        verdict = -index
      end
    end
  end
  answer[#answer + 1] = struct.pack('<d', verdict)
  for index = 1, count do
    local level = before[index]
    if verdict == 1 then
      level = after[index]
      if cost ~= 0 then
        full[places[index]] = level
        changed[places[index]] = true
      end
    end
    answer[#answer + 1] = struct.pack('<d', level - now)
  end
  for index = 1, placeCount do
    local place = held[index]
    if verdict == 1 and cost > 0 then
      total[place], own[place] = total[place] + cost, own[place] + cost
      most[place], touched[place] = limits[index], true
    end
    answer[#answer + 1] = struct.pack('<d', total[place])
  end
end
for place in pairs(changed) do
  local level = full[place]
  redis.call('SET', KEYS[place + 4], struct.pack('<d', level), 'PX', math.max(1, math.ceil(level - now) + 60000))
end
local count
for place in pairs(touched) do
  local key = KEYS[firstPlace + place]
  if total[place] > 0 then redis.call('SET', key, total[place]) else redis.call('DEL', key) end
  if own[place] > 0 then redis.call('HSET', KEYS[3], key, own[place]) else redis.call('HDEL', KEYS[3], key) end
  if most[place] then
    count = count or redis.call('ZCARD', KEYS[2])
    if own[place] > math.floor(most[place] / count) then
      redis.call('HSET', KEYS[4], key, most[place])
    end
  end
end
return table.concat(answer)
`;

/** Frees what a process held that is gone. */
const FREE = `
local function free(member)
  local key = KEYS[3] .. member
  local held = redis.call('HGETALL', key)
  for index = 1, #held, 2 do
    if redis.call('DECRBY', held[index], held[index + 1]) <= 0 then
      redis.call('DEL', held[index])
    end
  end
  redis.call('DEL', key)
  redis.call('ZREM', KEYS[2], member)
end
`;

/** Names of which a process holds more than its share; further ones are not told. */
const BEYOND_MAX = 1_000;

/**
 * KEYS: the mark, the members, the beginning of what each holds, what is held beyond a share. ARGV: member, milliseconds that it
 * counts, 1 for one that has used this store before, 1 for a report, the member that it replaces or nothing, and of each of its
 * places the key and how many it holds. For ten seconds each has its share when others may decide alone: some that no one has heard of
 * for a while, or that a store knew which was lost. A server that was started anew, or has taken over from another, may hold buckets as they
 * were a while ago: they start empty as well.
 */
const JOIN = `${READ_CLOCK}${FREE}
local server = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local known = redis.call('HGET', KEYS[1], 'server')
local heard = redis.call('HGET', KEYS[1], 'heard')
local mayBeAlone = ARGV[3] == '1' and not heard
local isPaused = known ~= server or not heard or now - heard > 3000
if known ~= server then
  local isLost = known or ARGV[3] == '1'
  redis.call('HSET', KEYS[1], 'server', server, 'since', isLost and string.format('%.17g', now) or '-1e15')
  mayBeAlone = mayBeAlone or isLost
end
if heard and now - heard > 3000 then
  for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    mayBeAlone = mayBeAlone or member ~= ARGV[1] and member ~= ARGV[5]
  end
end
if ARGV[3] == '1' and ARGV[4] == '1' and ARGV[5] ~= '' then
  mayBeAlone = mayBeAlone or not redis.call('ZSCORE', KEYS[2], ARGV[5])
end
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)) do
  free(dead)
end
local isKnown = ARGV[4] == '1' or redis.call('ZSCORE', KEYS[2], ARGV[1])
if ARGV[4] == '1' then
  free(ARGV[1])
  free(ARGV[5])
  for index = 6, #ARGV, 2 do
    redis.call('INCRBY', ARGV[index], ARGV[index + 1])
    redis.call('HSET', KEYS[3] .. ARGV[1], ARGV[index], ARGV[index + 1])
  end
end
if isKnown then
  if mayBeAlone then
    redis.call('HSET', KEYS[1], 'share', string.format('%.17g', now + 10000))
  end
  redis.call('HSET', KEYS[1], 'heard', string.format('%.17g', now))
  if isPaused then
    redis.call('HSET', KEYS[1], 'served', string.format('%.17g', now))
  end
  redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[1])
  redis.call('PERSIST', KEYS[2])
end
local members = redis.call('ZRANGE', KEYS[2], 0, -1)
local share = tonumber(redis.call('HGET', KEYS[1], 'share') or '-1e15')
local beyond = redis.call('HGETALL', KEYS[4])
local told = {}
for index = 1, #beyond, 2 do
  local key, isBeyond = beyond[index], false
  for _, member in ipairs(members) do
    local held = tonumber(redis.call('HGET', KEYS[3] .. member, key) or 0)
    isBeyond = isBeyond or held > math.floor(beyond[index + 1] / #members)
  end
  if not isBeyond then
    redis.call('HDEL', KEYS[4], key)
  elseif #told < ${String(3 * BEYOND_MAX)} then
    told[#told + 1] = key
    told[#told + 1] = redis.call('HGET', KEYS[3] .. ARGV[1], key) or '0'
    told[#told + 1] = redis.call('GET', key) or '0'
  end
end
local served = now - (redis.call('HGET', KEYS[1], 'served') or now)
return {isKnown and 1 or 0, now < share and 1 or 0, math.floor(served), members, told}
`;

const LEAVE = `${FREE}
free(ARGV[1])
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
const LEAVE_SCRIPT = toScript(LEAVE);

const joinAnswer = z.tuple([
  z.number(),
  z.number(),
  z.number(),
  z.array(z.instanceof(Buffer)),
  z.array(z.instanceof(Buffer)),
]);

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

function toBeyond(told: readonly string[], placesStart: string): RateMembers["beyond"] {
  const beyond: RateMembers["beyond"] = [];
  for (let at = 0; at + 2 < told.length; at += 3) {
    const [key = "", own, all] = told.slice(at, at + 3);
    beyond.push({ name: key.slice(placesStart.length), own: Number(own), all: Number(all) });
  }
  return beyond;
}

/**
 * Keeps buckets and places in Valkey or Redis: one call of a script for each group of requests, on one connection. Nothing waits for a
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
  const heldBy = keyOf("held:");
  const beyond = keyOf("beyond");
  const placesStart = keyOf("place:");

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
    async decide(group) {
      if (!hasJoined) {
        throw new NotJoinedError("The connection to the store of rate limits was lost.");
      }
      const { names, places, numbers } = toRateNumbers(group);
      if (names.length + places.length === 0) {
        return group.requests.map(() => ({ isTaken: true, levelsMs: [], held: [] }));
      }
      const keys = [since, members, heldBy + group.member, beyond];
      keys.push(...names.map((name) => keyOf(`rate:${name}`)));
      keys.push(...places.map((name) => placesStart + name));
      const args = [toBytes(numbers), group.member, names.length];
      const answer = await run(DECIDE_SCRIPT, keys, args);
      if (!Buffer.isBuffer(answer)) {
        throw new TypeError("The store of rate limits gave no answer of this script.");
      }
      return fromRateNumbers(group, toNumbers(answer));
    },
    async join({ member, ttlMs, isBack, report }) {
      const toFlag = (is: boolean) => (is ? "1" : "0");
      const answer = await run(
        JOIN_SCRIPT,
        [since, members, heldBy, beyond],
        [
          ...[member, ttlMs, toFlag(isBack), toFlag(report !== undefined), report?.replaces ?? ""],
          ...(report?.held ?? []).flatMap(({ name, held }) => [placesStart + name, held]),
        ],
      );
      const [isKnown, mustShare, servedMs, living, told] = joinAnswer.parse(answer);
      hasJoined = true;
      return {
        members: living.map(String),
        isKnown: isKnown === 1,
        mustShare: mustShare === 1,
        servedMs,
        beyond: toBeyond(told.map(String), placesStart),
      };
    },
    async leave(member) {
      await run(LEAVE_SCRIPT, [since, members, heldBy], [member]);
    },
    close: () => {
      client.disconnect();
      return Promise.resolve();
    },
  };
}
