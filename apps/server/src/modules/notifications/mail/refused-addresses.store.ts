import type { Tx } from "@turnpike/db/client";
import { toPattern } from "./mails.store.ts";

export type RefusedAddressRow = {
  /** In lower case. */
  address: string;
  explanation: string;
  answer: string;
  refused_at: Date;
};

/** All functions here need the operator role. No other role can see the table. */
export async function putRefusedAddress(tx: Tx, row: RefusedAddressRow): Promise<void> {
  await tx`
    insert into refused_addresses (address, explanation, answer, refused_at)
    values (${row.address.toLowerCase()}, ${row.explanation}, ${row.answer}, ${row.refused_at})
    on conflict (address) do update set explanation = excluded.explanation, answer = excluded.answer,
      refused_at = excluded.refused_at`;
}

export async function findRefusedAddress(
  tx: Tx,
  address: string,
): Promise<RefusedAddressRow | undefined> {
  const [row] = await tx<RefusedAddressRow[]>`
    select address, explanation, answer, refused_at from refused_addresses where address = ${address.toLowerCase()}`;
  return row;
}

/** @returns False when it was not there. */
export async function deleteRefusedAddress(tx: Tx, address: string): Promise<boolean> {
  const rows =
    await tx`delete from refused_addresses where address = ${address.toLowerCase()} returning 1`;
  return rows.length > 0;
}

/** The newest refusals first. */
export async function listRefusedAddressRows(
  tx: Tx,
  { address, limit }: { address: string | undefined; limit: number },
): Promise<RefusedAddressRow[]> {
  return await tx<RefusedAddressRow[]>`
    select address, explanation, answer, refused_at from refused_addresses
    ${address === undefined ? tx`` : tx`where address like ${toPattern(address.toLowerCase())}`}
    order by refused_at desc, address
    limit ${limit}`;
}
