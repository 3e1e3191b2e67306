import type { Tx } from "@turnpike/db/client";

export type SwitchRow = { is_on: boolean; changed_at: Date };

/** @returns Undefined when it was never changed, which means on. */
export async function findSwitch(tx: Tx): Promise<SwitchRow | undefined> {
  const [row] = await tx<SwitchRow[]>`select is_on, changed_at from model_switch`;
  return row;
}

export async function putSwitch(tx: Tx, row: SwitchRow): Promise<void> {
  await tx`
    insert into model_switch (is_on, changed_at) values (${row.is_on}, ${row.changed_at})
    on conflict (singleton) do update set is_on = excluded.is_on, changed_at = excluded.changed_at`;
}
