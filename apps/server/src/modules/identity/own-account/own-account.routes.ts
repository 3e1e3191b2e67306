import { implement } from "@orpc/server";
import { accountContract } from "@turnpike/contract/account";
import type { HttpContext } from "#http/http-context.ts";
import { toNetwork } from "../attempts/attempt-limits.ts";
import {
  beginConnecting,
  connectIdentity,
  disconnectIdentity,
  listOwnIdentities,
  type OwnIdentitiesDeps,
} from "../identities/own-identities.ts";
import { keepLanguage } from "../users/keep-language.ts";
import { type DeleteAccountDeps, deleteOwnAccount, getOwnDeletion } from "./delete-account.ts";
import { endOwnSignIn, endOwnSignIns, listOwnSignIns } from "./end-own-sign-ins.ts";
import { exportOwnAccount } from "./export-account.ts";
import { getOwnAccount, getOwner, getPersonInBrowser, type OwnCall } from "./own-account.ts";

function toOwnCall(context: HttpContext): OwnCall {
  return { context: context.call(), network: toNetwork(context.clientAddress()) };
}

/** What people do with their own accounts. */
export function createAccountRoutes(deps: DeleteAccountDeps & OwnIdentitiesDeps) {
  const os = implement(accountContract).$context<HttpContext>();
  return os.router({
    get: os.get.handler(({ context }) => getOwnAccount(deps, context.call())),
    rename: os.rename.handler(async ({ input, context }) => {
      const { accounts, owner } = await getOwner(deps, toOwnCall(context));
      await accounts.rename(owner, input);
      return await getOwnAccount(deps, context.call());
    }),
    chooseLanguage: os.chooseLanguage.handler(async ({ input, context }) => {
      const { id: userId } = getPersonInBrowser(context.call());
      await keepLanguage(deps, { userId, ...input, isChosen: true });
      return await getOwnAccount(deps, context.call());
    }),
    changePassword: os.changePassword.handler(async ({ input, context }) => {
      const { accounts, owner } = await getOwner(deps, toOwnCall(context));
      await accounts.changePassword(owner, input);
    }),
    changeEmail: os.changeEmail.handler(async ({ input, context }) => {
      const { accounts, owner } = await getOwner(deps, toOwnCall(context));
      await accounts.changeEmail(owner, input);
      return await getOwnAccount(deps, context.call());
    }),
    sendConfirmation: os.sendConfirmation.handler(async ({ context }) => {
      const { accounts, owner } = await getOwner(deps, toOwnCall(context));
      return { isSent: await accounts.sendConfirmation(owner) };
    }),
    listSignIns: os.listSignIns.handler(({ context }) => listOwnSignIns(deps, toOwnCall(context))),
    endSignIn: os.endSignIn.handler(({ input, context }) =>
      endOwnSignIn(deps, toOwnCall(context), input),
    ),
    endSignIns: os.endSignIns.handler(async ({ input, context }) => {
      await endOwnSignIns(deps, toOwnCall(context), input);
    }),
    listIdentities: os.listIdentities.handler(({ context }) =>
      listOwnIdentities(deps, toOwnCall(context)),
    ),
    beginConnecting: os.beginConnecting.handler(async ({ input, context }) => {
      await beginConnecting(deps, toOwnCall(context), input);
    }),
    connectIdentity: os.connectIdentity.handler(({ input, context }) =>
      connectIdentity(deps, toOwnCall(context), input),
    ),
    disconnectIdentity: os.disconnectIdentity.handler(({ input, context }) =>
      disconnectIdentity(deps, toOwnCall(context), input),
    ),
    export: os.export.handler(({ context }) => exportOwnAccount(deps, toOwnCall(context))),
    getDeletion: os.getDeletion.handler(({ context }) => getOwnDeletion(deps, toOwnCall(context))),
    delete: os.delete.handler(async ({ input, context }) => {
      await deleteOwnAccount(deps, toOwnCall(context), input);
    }),
  });
}
