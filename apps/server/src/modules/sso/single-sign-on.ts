import { emailDomainOf } from "@turnpike/domain/text/email-domain";
import type { SingleSignOn } from "#modules/identity/index.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { beginSignIn } from "./sign-in/begin-sign-in.ts";
import { collectResult, isListedOperator } from "./sign-in/collect-result.ts";
import { createSessionEnder } from "./sign-in/end-sessions.ts";
import { createSsoSignInHandler } from "./sign-in/sso-sign-in.routes.ts";
import type { SsoDeps } from "./sso.ports.ts";
import { isSsoRequired } from "./sso-domains.store.ts";

/** What the built-in provider needs of the single sign-on of tenants. */
export function createSingleSignOn(deps: SsoDeps): SingleSignOn {
  return {
    begin: (input) => beginSignIn(deps, input),
    handle: createSsoSignInHandler(deps),
    collect: (input) => collectResult(deps, input),
    endSessions: createSessionEnder(deps),
    isRequired: async (email, accountId) => {
      const domain = emailDomainOf(email);
      // One of the configuration becomes an operator by signing in, and never at a tenant's provider.
      if (domain === undefined || (accountId !== undefined && isListedOperator(deps, email))) {
        return false;
      }
      return await deps.transact.asOperator((tx) => isSsoRequired(tx, domain, accountId), SIGN_INS);
    },
  };
}
