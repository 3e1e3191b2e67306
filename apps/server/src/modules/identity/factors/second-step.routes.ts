import { displayText } from "@turnpike/contract/shapes";
import { z } from "zod";
import { sendJson } from "#http/raw-route.ts";
import { type KnownBrowsers, toFactorName } from "../attempts/known-browsers.ts";
import type { Interactions, PeopleCall } from "../provider/interactions.routes.ts";
import type { SingleSignOn } from "../provider/sso-form.routes.ts";
import { ssoRequired } from "../provider/sso-required.ts";
import { tookTooLong } from "./check-factor.ts";
import { beginPasskey, beginTotp, confirmPasskey, confirmTotp } from "./enrol-factor.ts";
import { METHODS } from "./factor-policy.ts";
import { newPasskey, passkeyAnswer } from "./passkeys.ts";
import { rememberBoth } from "./remember-both.ts";
import {
  answerWithCode,
  answerWithPasskey,
  askInSignIn,
  finishSetUp,
  getSignInOf,
  type PassedSignIn,
  type SignInStepDeps,
} from "./sign-in-step.ts";

export type SecondStepDeps = SignInStepDeps & {
  interactions: Interactions;
  knownBrowsers: KnownBrowsers;
  confirmEmail: boolean;
  /** Left out: no tenant has one. */
  singleSignOn?: SingleSignOn | undefined;
};

export type SecondStepRoute = {
  /** Below the interaction. */
  path: string;
  answer(call: PeopleCall, uid: string): Promise<void>;
};

const nothing = z.strictObject({});
/** Longer than any code, with spaces and dashes. */
export const codeRequest = z.strictObject({ code: z.string().min(1).max(100) });
export const passkeyName = displayText(60);
export const newPasskeyRequest = z.strictObject({ name: passkeyName, answer: newPasskey });
const passkeyRequest = z.strictObject({ answer: passkeyAnswer });

/** The calls of a sign-in after the password, and of passkeys instead of it. All are bound to the browser of the interaction. */
export function createSecondStepRoutes(deps: SecondStepDeps): SecondStepRoute[] {
  const { interactions, knownBrowsers } = deps;
  const { read } = interactions;

  async function finish(call: PeopleCall, uid: string, passed: PassedSignIn): Promise<void> {
    const interaction = await interactions.get(call, uid);
    const { email, account_id } = passed.account;
    if (await deps.singleSignOn?.isRequired(email, account_id)) {
      throw ssoRequired();
    }
    rememberBoth(knownBrowsers, call, passed.account.email);
    await interactions.finish(call, interaction, {
      accountId: passed.account.account_id,
      startedAt: passed.startedAt,
      methods: passed.methods,
    });
  }

  /** The account without a second factor that must set one up. A password alone changes nothing of an account that has one. */
  async function getUnprotected(call: PeopleCall, uid: string) {
    await interactions.get(call, uid);
    const found = await getSignInOf(deps, uid);
    if (found.account.second_factor_since !== null) {
      throw tookTooLong();
    }
    return found;
  }

  return [
    {
      path: "factor",
      async answer(call, uid) {
        const { code } = await read(call.req, codeRequest);
        await interactions.get(call, uid);
        const { account } = await getSignInOf(deps, uid);
        const passed = await answerWithCode(deps, {
          interaction: uid,
          code,
          network: call.network,
          knownBrowser: knownBrowsers.find(call.req.headers.cookie, toFactorName(account.email)),
        });
        await finish(call, uid, passed);
      },
    },
    {
      path: "passkey/options",
      async answer(call, uid) {
        await read(call.req, nothing);
        await interactions.get(call, uid);
        sendJson(call.res, 200, { options: await askInSignIn(deps, uid) });
      },
    },
    {
      path: "passkey",
      async answer(call, uid) {
        const { answer } = await read(call.req, passkeyRequest);
        await interactions.get(call, uid);
        const { network } = call;
        await finish(
          call,
          uid,
          await answerWithPasskey(deps, { interaction: uid, answer, network }),
        );
      },
    },
    {
      path: "set-up/totp",
      async answer(call, uid) {
        await read(call.req, nothing);
        const { account } = await getUnprotected(call, uid);
        sendJson(call.res, 200, await beginTotp(deps, account));
      },
    },
    {
      path: "set-up/totp/confirm",
      async answer(call, uid) {
        const { code } = await read(call.req, codeRequest);
        const { account } = await getUnprotected(call, uid);
        await confirmTotp(deps, { accountId: account.account_id, code });
        await finishSetUp(deps, uid);
        const startedAt = deps.clock.now();
        await finish(call, uid, { account, startedAt, methods: METHODS.passwordAndCode });
      },
    },
    {
      path: "set-up/passkey",
      async answer(call, uid) {
        await read(call.req, nothing);
        const { account } = await getUnprotected(call, uid);
        sendJson(call.res, 200, await beginPasskey(deps, account));
      },
    },
    {
      path: "set-up/passkey/confirm",
      async answer(call, uid) {
        const { name, answer } = await read(call.req, newPasskeyRequest);
        const { account } = await getUnprotected(call, uid);
        await confirmPasskey(deps, { accountId: account.account_id, name, answer });
        await finishSetUp(deps, uid);
        const startedAt = deps.clock.now();
        await finish(call, uid, { account, startedAt, methods: METHODS.passwordAndPasskey });
      },
    },
  ];
}
