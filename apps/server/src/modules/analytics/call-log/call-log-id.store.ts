import type { Tx } from "@turnpike/db/client";

/** @returns What names the log in its engine: `candidate` where it has no name yet. */
export async function ensureLogId(tx: Tx, candidate: string): Promise<string> {
  await tx`insert into call_log (log_id) values (${candidate}) on conflict (is_only) do nothing`;
  const [row] = await tx<{ log_id: string }[]>`select log_id from call_log`;
  return row?.log_id ?? candidate;
}
