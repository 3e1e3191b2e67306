import type { Tx } from "@turnpike/db/client";
import { listNewestAbout, type MailState } from "./mails.store.ts";

export type MailStateOf = {
  state: MailState;
  /** Why it did not arrive, in one plain sentence; null for all others. */
  explanation: string | null;
};

/**
 * What happened to the newest mail about each of these, such as invitations, by their ids; those of which no mail is kept are left
 * out. Needs the operator role.
 */
export async function findMailStates(
  tx: Tx,
  about: readonly string[],
): Promise<ReadonlyMap<string, MailStateOf>> {
  const rows = await listNewestAbout(tx, about);
  return new Map(
    rows.map(({ about: id, state, explanation }) => [id ?? "", { state, explanation }]),
  );
}
