import type { Tx } from "@turnpike/db/client";

/** What all nodes of this cell know, and no other cell has. Of the cell's own database; needs the operator role. */
export async function readCellIdentity(tx: Tx): Promise<string> {
  const [row] = await tx<
    { identity: string }[]
  >`select identity::text as identity from cell_identity`;
  return row?.identity ?? "";
}
