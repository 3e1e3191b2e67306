import type { Tx } from "@turnpike/db/client";
import type { RateNumbers } from "./rate-numbers.ts";
import type { RateMembers, RateStore } from "./rate-store.ts";

/**
 * Decides a group of requests on the database's clock; the rows of its buckets and places are locked in one order.
 *
 * @param input - From `toRateNumbers`.
 * @returns Numbers for `fromRateNumbers`.
 */
export async function decideRateLevels(
  tx: Tx,
  input: RateNumbers & { member: string },
): Promise<number[]> {
  const [row] = await tx<{ answer: string }[]>`
    select array_to_string(decide_limits(
      ${input.member}, ${input.names}::text[], ${input.places}::text[],
      ${`{${input.numbers.join(",")}}`}::text::float8[]), ',') as answer`;
  return row === undefined || row.answer === "" ? [] : row.answer.split(",").map(Number);
}

export async function joinRateMembers(
  tx: Tx,
  input: Parameters<RateStore["join"]>[0],
): Promise<RateMembers> {
  const { member, ttlMs, isBack, report } = input;
  const held = report?.held ?? [];
  const [row] = await tx<{ answer: RateMembers }[]>`
    select join_limits(
      ${member}, ${report?.replaces ?? null}, ${ttlMs}, ${isBack}, ${report !== undefined},
      ${held.map(({ name }) => name)}::text[],
      ${`{${held.map((one) => one.held).join(",")}}`}::text::integer[],
      ${`{${held.map(({ limit }) => limit).join(",")}}`}::text::integer[]) as answer`;
  if (row === undefined) {
    throw new TypeError("The database did not answer a sign of life.");
  }
  return row.answer;
}

export async function leaveRateMembers(tx: Tx, member: string): Promise<void> {
  await tx`delete from rate_members where member = ${member}`;
  await tx`select free_rate_places(array[${member}::text])`;
}

/** Deletes buckets that have been full for a minute, of those that no one decides on right now. */
export async function deleteFullRateLevels(tx: Tx, limit: number): Promise<void> {
  await tx`
    delete from rate_levels where bucket in (
      select bucket from rate_levels where full_at_ms < rate_clock_ms() - 60000
      limit ${limit} for update skip locked)`;
}
