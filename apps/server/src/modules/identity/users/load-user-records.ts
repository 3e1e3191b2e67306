import type { Tx } from "@turnpike/db/client";
import type { UserActor } from "@turnpike/domain/access/actor";
import type { Clock } from "#platform/clock.ts";
import type { SecondFactorPolicy } from "../factors/factor-policy.ts";
import { listAccountsWithFactors } from "../factors/factors.store.ts";
import {
  type Identity,
  listLinkedIdentities,
  listUserRowsById,
} from "../identities/identities.store.ts";
import type { RoleDirectory } from "../identity.ports.ts";
import { listSessionsOf } from "../logout/provider-sessions.store.ts";
import { BUILTIN_ISSUER } from "../tokens/trusted-issuers.ts";
import { nameOf, type UserRecord } from "./user-record.ts";
import { listUserRowsBySubject } from "./users.store.ts";

const NO_ROLES: UserActor["roles"] = new Map();
const NO_SESSIONS: UserRecord["sessions"] = new Map();

/** Finds the people of these identities, first or connected, by the names of the identities. */
async function findHolders(tx: Tx, identities: readonly Identity[]) {
  const holders = new Map<string, Pick<UserRecord, "row" | "linked">>();
  for (const row of await listUserRowsBySubject(tx, identities)) {
    holders.set(nameOf(row), { row, linked: undefined });
  }
  const others = identities.filter((identity) => !holders.has(nameOf(identity)));
  const linked = others.length === 0 ? [] : await listLinkedIdentities(tx, others);
  if (linked.length > 0) {
    const rows = await listUserRowsById(
      tx,
      linked.map((identity) => identity.user_id),
    );
    for (const identity of linked) {
      const row = rows.find(({ user_id: userId }) => userId === identity.user_id);
      if (row !== undefined) {
        holders.set(nameOf(identity), { row, linked: identity });
      }
    }
  }
  return holders;
}

/** Loads the people of these identities, by the names of the identities. */
export async function loadUserRecords(
  tx: Tx,
  deps: { roles: RoleDirectory; clock: Clock; policy: SecondFactorPolicy },
  identities: readonly Identity[],
): Promise<Map<string, UserRecord>> {
  const holders = await findHolders(tx, identities);
  const found = [...holders.values()];
  const userIds = [...new Set(found.map(({ row }) => row.user_id))];
  const roles = await deps.roles.listRoles(tx, userIds);
  const acting = await deps.roles.listActing(tx, userIds);
  const asked = found.filter(
    ({ row, linked }) =>
      row.issuer === BUILTIN_ISSUER && (deps.policy !== "optional" || linked !== undefined),
  );
  const withFactors =
    asked.length === 0
      ? new Set<string>()
      : await listAccountsWithFactors(
          tx,
          asked.map(({ row }) => row.subject),
        );
  const sessions = new Map<string, Map<string, { isEnded: boolean; expiresAt: Date }>>();
  const now = deps.clock.now();
  const known = found.map(({ row, linked }) => linked ?? row);
  for (const session of known.length === 0 ? [] : await listSessionsOf(tx, known, now)) {
    const own = sessions.get(nameOf(session)) ?? new Map();
    own.set(session.session_id, { isEnded: session.is_ended, expiresAt: session.expires_at });
    sessions.set(nameOf(session), own);
  }
  const records = new Map<string, UserRecord>();
  for (const [name, { row, linked }] of holders) {
    const { user_id: userId } = row;
    records.set(name, {
      row,
      linked,
      roles: roles.get(userId) ?? NO_ROLES,
      hasFactor: withFactors.has(row.subject),
      requiresSso: false,
      sessions: sessions.get(name) ?? NO_SESSIONS,
      acting: acting.get(userId),
    });
  }
  return records;
}
