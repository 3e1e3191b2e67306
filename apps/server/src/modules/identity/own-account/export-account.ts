import { type AccountExport, EXPORTED_ROWS_MAX, SIGN_INS_MAX } from "@turnpike/contract/account";
import { trailOfPerson } from "#modules/audit/index.ts";
import { listPersonTokens } from "../devices/manage-person-tokens.ts";
import { type IdentityWays, readIdentities } from "../identities/list-identities.ts";
import type { PersonResource, PersonTenants } from "../identity.ports.ts";
import { listSignInRows } from "../sign-ins/sign-ins.store.ts";
import { toSignInReply } from "./end-own-sign-ins.ts";
import {
  getOwnAccount,
  getOwnUserRow,
  getPersonInBrowser,
  type OwnAccountDeps,
  type OwnCall,
} from "./own-account.ts";

export type PersonalDeps = OwnAccountDeps &
  IdentityWays & {
    tenants: PersonTenants;
    /** What modules above keep about people. */
    resources: readonly PersonResource[];
  };

/**
 * Everything that is kept about the person, but for what is secret, such as the hash of the password.
 *
 * @throws {AppError} `INSUFFICIENT_SCOPE` for programs, and for command lines: browsers and networks are in it.
 */
export async function exportOwnAccount(
  deps: PersonalDeps,
  { context }: OwnCall,
): Promise<AccountExport> {
  const person = getPersonInBrowser(context);
  const row = await getOwnUserRow(deps, person);
  const { subject } = row;
  const now = deps.clock.now();
  const [account, commandLines] = await Promise.all([
    getOwnAccount(deps, context),
    listPersonTokens(deps, context),
  ]);
  return await deps.transact.asOperator(async (tx) => {
    const memberships = await deps.tenants.listMemberships(tx, person.id);
    const tenantIds = memberships.map(({ tenantId }) => tenantId);
    const signIns = await listSignInRows(tx, { accountId: subject, now, limit: SIGN_INS_MAX });
    const records: AccountExport["records"] = {};
    const cutKinds: string[] = [];
    for (const { kind, list } of [...deps.resources, trailOfPerson]) {
      const limit = EXPORTED_ROWS_MAX + 1;
      const entries = await list(tx, { userId: person.id, tenantIds, limit });
      records[kind] = entries.slice(0, EXPORTED_ROWS_MAX);
      if (entries.length > EXPORTED_ROWS_MAX) {
        cutKinds.push(kind);
      }
    }
    return {
      exportedAt: now.toISOString(),
      account,
      memberships: memberships.map(({ tenantId, name, role, createdAt }) => ({
        tenantId,
        name,
        role,
        createdAt: createdAt.toISOString(),
      })),
      identities: (await readIdentities(deps, tx, row)).items,
      signIns: signIns.map((row) => toSignInReply(row, person.signInId)),
      commandLines: commandLines.items,
      records,
      cutKinds,
    };
  });
}
