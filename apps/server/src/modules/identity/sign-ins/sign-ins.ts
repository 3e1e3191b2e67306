import type { Tx } from "@turnpike/db/client";
import type { AppServices } from "#platform/app-services.ts";
import { SIGN_INS } from "#platform/transact.ts";
import type { SsoSession } from "../provider/sso-session.ts";
import { describeUserAgent } from "./describe-user-agent.ts";
import { findSignInByGrant, type SignInRow, upsertSignIn } from "./sign-ins.store.ts";

/** Keeps what people see of their browsers that are signed in. */
export interface SignIns {
  /** Notes that a browser has signed in, or has signed in anew, and got a grant for it. */
  note(input: {
    accountId: string;
    grantId: string;
    userAgent: string;
    /** When the person typed the password. */
    provenAt: Date;
    expiresAt: Date;
    /** By whose single sign-on the person has just come, null for none; left out: nothing new is known. */
    via?: SsoSession | null;
  }): Promise<void>;
  findByGrant(grantId: string): Promise<SignInRow | undefined>;
}

export function createSignIns(deps: Pick<AppServices, "transact" | "clock" | "newId">): SignIns {
  const asOperator = <Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> =>
    deps.transact.asOperator(work, SIGN_INS);
  return {
    note: ({ accountId, grantId, userAgent, provenAt, expiresAt, via }) =>
      asOperator((tx) =>
        upsertSignIn(tx, {
          sign_in_id: deps.newId("signIn"),
          account_id: accountId,
          grant_id: grantId,
          ...describeUserAgent(userAgent),
          proven_at: provenAt,
          now: deps.clock.now(),
          expires_at: expiresAt,
          ...(via === undefined
            ? {}
            : { via: { tenantId: via?.tenantId ?? null, sessionId: via?.sessionId ?? null } }),
        }),
      ),
    findByGrant: (grantId) => asOperator((tx) => findSignInByGrant(tx, grantId)),
  };
}
