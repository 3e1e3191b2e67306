import type { Tx } from "@turnpike/db/client";

/**
 * Decides a group of requests on the database's clock; the rows of its buckets are locked in one order.
 *
 * @param input - From `toRateNumbers`.
 * @returns Numbers for `fromRateNumbers`.
 */
export async function decideRateLevels(
  tx: Tx,
  input: { names: readonly string[]; numbers: readonly number[] },
): Promise<number[]> {
  const [row] = await tx<{ answer: string }[]>`
    select array_to_string(
      decide_rates(${[...input.names]}::text[], ${`{${input.numbers.join(",")}}`}::text::float8[]), ',') as answer`;
  return (row?.answer ?? "").split(",").map(Number);
}

/** @returns The ids of all living processes. */
export async function joinRateMembers(
  tx: Tx,
  input: { member: string; ttlMs: number; isBack: boolean },
): Promise<string[]> {
  await tx`
    insert into rate_starts (started_at_ms)
    select case when ${input.isBack} then rate_clock_ms() else '-infinity'::float8 end
    on conflict do nothing`;
  await tx`delete from rate_members where living_until < clock_timestamp()`;
  await tx`
    insert into rate_members (member, living_until)
    values (${input.member}, clock_timestamp() + ${input.ttlMs} * interval '1 millisecond')
    on conflict (member) do update set living_until = excluded.living_until`;
  const rows = await tx<{ member: string }[]>`select member from rate_members`;
  return rows.map(({ member }) => member);
}

export async function leaveRateMembers(tx: Tx, member: string): Promise<void> {
  await tx`delete from rate_members where member = ${member}`;
}

/** Deletes buckets that are full again, of those that no one decides on right now. */
export async function deleteFullRateLevels(tx: Tx, limit: number): Promise<void> {
  await tx`
    delete from rate_levels where bucket in (
      select bucket from rate_levels where full_at_ms < rate_clock_ms()
      limit ${limit} for update skip locked)`;
}
