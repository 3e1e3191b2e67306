import { AppError } from "@turnpike/domain/errors/app-error";
import { isId } from "@turnpike/domain/ids/ids";
import { z } from "zod";
import { sendJson } from "#http/raw-route.ts";
import type { Accounts } from "../accounts/accounts.ts";
import type { KnownBrowsers } from "../attempts/known-browsers.ts";
import type { Interactions, PeopleCall } from "../provider/interactions.routes.ts";
import type { RenewSession } from "../provider/renew-session.ts";
import {
  beginPasskey,
  beginTotp,
  confirmPasskey,
  confirmTotp,
  type Enrolled,
  renewRecoveryCodes,
} from "./enrol-factor.ts";
import { isSufficient, METHODS } from "./factor-policy.ts";
import { asOperator } from "./factors-deps.ts";
import { getFactors, removePasskey, removeTotp } from "./manage-factors.ts";
import { askForProof, assertFreshProof, freshProof, type ProofDeps } from "./prove-again.ts";
import { rememberBoth } from "./remember-both.ts";
import { codeRequest, newPasskeyRequest } from "./second-step.routes.ts";

export type FactorsRoutesDeps = ProofDeps & {
  accounts: Accounts;
  interactions: Interactions;
  knownBrowsers: KnownBrowsers;
  renewSession: RenewSession;
};

export type FactorsRoute = {
  method: "GET" | "POST";
  /** Below `/idp/factors`. */
  path: string;
  answer(call: PeopleCall): Promise<void>;
};

const nothing = z.strictObject({});
const proofRequest = z.strictObject({ proof: freshProof });
const removePasskeyRequest = z.strictObject({
  proof: freshProof,
  passkeyId: z.string().refine((value) => isId("passkey", value), "Not the id of a passkey."),
});

/**
 * The calls of a person's own page about second factors. They are for the console alone, by the session that its browser has at the
 * provider: no program, command line or agent can change how an account is protected.
 */
export function createFactorsRoutes(deps: FactorsRoutesDeps): FactorsRoute[] {
  const { interactions, accounts } = deps;
  const { read } = interactions;

  /** @throws {AppError} `SIGN_IN_EXPIRED` for a browser without a session that is enough for its account. */
  async function getSignedIn({ req, res, provider }: PeopleCall) {
    const session = await provider.Session.get(provider.createContext(req, res));
    const { accountId } = session;
    const account = accountId === undefined ? undefined : await accounts.find(accountId);
    const isRequired =
      account !== undefined &&
      (await asOperator(deps, (tx) => deps.policy.isRequired(tx, account)));
    if (account === undefined || !isSufficient({ account, isRequired, methods: session.amr })) {
      throw new AppError({
        code: "SIGN_IN_EXPIRED",
        publicMessage: "Sign in again to see and change how your account is protected.",
      });
    }
    return { account, session };
  }

  /** After the first factor, only the browser in which it was set up stays signed in. */
  async function answerEnrolled(
    call: PeopleCall,
    found: Awaited<ReturnType<typeof getSignedIn>>,
    input: Enrolled & { methods: readonly string[] },
  ): Promise<void> {
    const { account, session } = found;
    const { account_id: accountId } = account;
    if (input.isFirst) {
      await deps.renewSession(call, session, { accountId, methods: input.methods });
    }
    rememberBoth(deps.knownBrowsers, call, account.email);
    const after = (await accounts.find(accountId)) ?? account;
    sendJson(call.res, 200, { isFirst: input.isFirst, factors: await getFactors(deps, after) });
  }

  /** Reads a request with a fresh proof of its person. */
  async function readProven<Request extends z.infer<typeof proofRequest>>(
    call: PeopleCall,
    schema: z.ZodType<Request>,
  ) {
    const request = await read(call.req, schema);
    const { account } = await getSignedIn(call);
    await assertFreshProof(deps, { account, network: call.network, proof: request.proof });
    return { account, request };
  }

  async function answerFactors(call: PeopleCall, accountId: string): Promise<void> {
    const account = await accounts.find(accountId);
    if (account !== undefined) {
      sendJson(call.res, 200, await getFactors(deps, account));
    }
  }

  const post = (path: string, answer: FactorsRoute["answer"]): FactorsRoute => ({
    method: "POST",
    path,
    answer,
  });
  return [
    {
      method: "GET",
      path: "",
      async answer(call) {
        const { account } = await getSignedIn(call);
        sendJson(call.res, 200, await getFactors(deps, account));
      },
    },
    post("/proof", async (call) => {
      await read(call.req, nothing);
      const { account } = await getSignedIn(call);
      sendJson(call.res, 200, { options: await askForProof(deps, account) });
    }),
    post("/totp", async (call) => {
      const { account } = await readProven(call, proofRequest);
      sendJson(call.res, 200, await beginTotp(deps, account));
    }),
    post("/totp/confirm", async (call) => {
      const { code } = await read(call.req, codeRequest);
      const found = await getSignedIn(call);
      const { account_id: accountId } = found.account;
      const enrolled = await confirmTotp(deps, { accountId, code });
      await answerEnrolled(call, found, { ...enrolled, methods: METHODS.passwordAndCode });
    }),
    post("/totp/remove", async (call) => {
      const { account } = await readProven(call, proofRequest);
      await removeTotp(deps, account.account_id);
      await answerFactors(call, account.account_id);
    }),
    post("/passkeys", async (call) => {
      const { account } = await readProven(call, proofRequest);
      sendJson(call.res, 200, await beginPasskey(deps, account));
    }),
    post("/passkeys/confirm", async (call) => {
      const { name, answer } = await read(call.req, newPasskeyRequest);
      const found = await getSignedIn(call);
      const { account_id: accountId } = found.account;
      const enrolled = await confirmPasskey(deps, { accountId, name, answer });
      await answerEnrolled(call, found, { ...enrolled, methods: METHODS.passwordAndPasskey });
    }),
    post("/passkeys/remove", async (call) => {
      const { account, request } = await readProven(call, removePasskeyRequest);
      const { account_id: accountId } = account;
      await removePasskey(deps, { accountId, passkeyId: request.passkeyId });
      await answerFactors(call, accountId);
    }),
    post("/recovery-codes", async (call) => {
      const { account } = await readProven(call, proofRequest);
      const { account_id: accountId } = account;
      sendJson(call.res, 200, await renewRecoveryCodes(deps, { accountId }));
    }),
  ];
}
