import { displayNote } from "@turnpike/contract/shapes";
import { AppError } from "@turnpike/domain/errors/app-error";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import { z } from "zod";
import { findRequestLanguage } from "#http/pages/page-language.ts";
import { sendJson } from "#http/raw-route.ts";
import type { Accounts } from "../accounts/accounts.ts";
import type { AddressMoves } from "../accounts/move-address.ts";
import { normalizeEmail } from "../accounts/normalize-email.ts";
import type { KnownBrowsers } from "../attempts/known-browsers.ts";
import { METHODS } from "../factors/factor-policy.ts";
import type { FactorsDeps } from "../factors/factors-deps.ts";
import { beginSecondStep } from "../factors/sign-in-step.ts";
import { toLoginErrorAddress } from "./create-oidc.ts";
import type { Interaction, Interactions, PeopleCall } from "./interactions.routes.ts";
import type { SingleSignOn } from "./sso-form.routes.ts";
import { ssoRequired } from "./sso-required.ts";

export type PeopleRoutesDeps = FactorsDeps & {
  accounts: Accounts;
  moves: AddressMoves;
  knownBrowsers: KnownBrowsers;
  interactions: Interactions;
  /** Left out: no tenant has one. */
  singleSignOn?: SingleSignOn | undefined;
};

const storable = z.string().refine(isStorableText, "Characters that cannot be stored.");
const newEmail = z.string().trim().pipe(z.email("Not an e-mail address.").max(254));
// Longer than a password may be: a password that was pasted twice is wrong, not malformed.
const password = z.string().min(1).max(1_024);
const token = z.string().min(1).max(200);

const loginRequest = z.strictObject({ email: storable.min(1).max(320), password });
const registerRequest = z.strictObject({
  email: newEmail,
  password,
  name: displayNote(200).optional(),
});
const forgotRequest = z.strictObject({ email: newEmail });
const resetRequest = z.strictObject({ token, password });
const moveRequest = z.strictObject({ token });
const confirmRequest = z.strictObject({ token, password });

function isInvalidCredentials(error: unknown): boolean {
  return error instanceof AppError && error.code === "INVALID_CREDENTIALS";
}

/** The calls of the console's sign-in pages, and the page to which the provider sends browsers that must sign in. */
export function createPeopleRoutes(deps: PeopleRoutesDeps, options: { consoleUrl: string }) {
  const { accounts, clock, knownBrowsers, interactions, moves, singleSignOn } = deps;
  const { consoleUrl } = options;
  const { read } = interactions;

  /** Lets the browser prove from now on that its user has signed in to the account before. */
  function remember({ req, res }: PeopleCall, email: string): void {
    const cookie = knownBrowsers.remember(req.headers.cookie, normalizeEmail(email));
    res.appendHeader("set-cookie", cookie);
  }

  /** Checks a password. People who must use single sign-on learn that, and nothing about the password. */
  async function checkPassword(
    call: PeopleCall,
    input: { email: string; password: string },
  ): Promise<string> {
    try {
      const { accountId } = await accounts.signIn({
        ...input,
        network: call.network,
        knownBrowser: knownBrowsers.find(call.req.headers.cookie, normalizeEmail(input.email)),
      });
      if (await singleSignOn?.isRequired(input.email, accountId)) {
        throw ssoRequired();
      }
      return accountId;
    } catch (error) {
      if (isInvalidCredentials(error) && (await singleSignOn?.isRequired(input.email))) {
        throw ssoRequired();
      }
      throw error;
    }
  }

  /** After the right password: ends the sign-in, or says what else it needs. */
  async function goOn(
    call: PeopleCall,
    interaction: Interaction,
    input: { accountId: string; email: string; startedAt: Date },
  ): Promise<void> {
    const { accountId, startedAt } = input;
    const { uid } = interaction;
    const step = await beginSecondStep(deps, { interaction: uid, accountId, startedAt });
    if (step.kind === "factor") {
      // The browser proves nothing yet: with the right password alone, anyone would get a budget of attempts in each new browser.
      sendJson(call.res, 200, { factors: step.factors });
      return;
    }
    remember(call, input.email);
    if (step.kind === "set_up") {
      sendJson(call.res, 200, { setUp: true });
      return;
    }
    await interactions.finish(call, interaction, {
      accountId,
      startedAt,
      methods: METHODS.password,
    });
  }

  return {
    /** Sends a browser to the page that asks for the missing step. */
    async show(call: PeopleCall, uid: string): Promise<void> {
      const interaction = await interactions.find(call, uid);
      const page = interaction?.prompt.name === "create" ? "register" : "login";
      call.res.writeHead(303, {
        location:
          interaction === undefined
            ? toLoginErrorAddress(consoleUrl, "sign_in_expired")
            : `${consoleUrl}/${page}?interaction=${uid}`,
        "content-length": "0",
      });
      call.res.end();
    },

    async login(call: PeopleCall, uid: string): Promise<void> {
      const input = await read(call.req, loginRequest);
      const interaction = await interactions.get(call, uid);
      const startedAt = clock.now();
      const accountId = await checkPassword(call, input);
      await goOn(call, interaction, { accountId, email: input.email, startedAt });
    },

    async register(call: PeopleCall, uid: string): Promise<void> {
      const { email, password: chosen, name } = await read(call.req, registerRequest);
      const interaction = await interactions.get(call, uid);
      if (await singleSignOn?.isRequired(email)) {
        throw ssoRequired();
      }
      const registration = await accounts.register({
        email,
        password: chosen,
        name,
        network: call.network,
        language: findRequestLanguage(call.req),
      });
      if (registration.kind === "confirmation_sent") {
        sendJson(call.res, 200, { confirmationSent: true });
        return;
      }
      const { accountId } = registration;
      await goOn(call, interaction, { accountId, email, startedAt: clock.now() });
    },

    async forgotPassword(call: PeopleCall): Promise<void> {
      const { email } = await read(call.req, forgotRequest);
      const language = findRequestLanguage(call.req);
      await accounts.forgetPassword({ email, network: call.network, language });
      call.res.writeHead(202, { "content-length": "0" });
      call.res.end();
    },

    async resetPassword(call: PeopleCall): Promise<void> {
      const input = await read(call.req, resetRequest);
      // A reset is the way back for owners whose account is under attack, in a browser that is not known.
      const { email } = await accounts.resetPassword({ ...input, network: call.network });
      remember(call, email);
      call.res.writeHead(204);
      call.res.end();
    },

    async confirmEmail(call: PeopleCall): Promise<void> {
      const input = await read(call.req, confirmRequest);
      const confirmed = await accounts.confirmEmail({ ...input, network: call.network });
      remember(call, confirmed.email);
      sendJson(call.res, 200, confirmed);
    },

    async changeEmail(call: PeopleCall): Promise<void> {
      const input = await read(call.req, moveRequest);
      sendJson(call.res, 200, await moves.confirm({ ...input, network: call.network }));
    },

    async undoEmail(call: PeopleCall): Promise<void> {
      const input = await read(call.req, moveRequest);
      sendJson(call.res, 200, await moves.undo({ ...input, network: call.network }));
    },
  };
}
