import type { IncomingMessage, ServerResponse } from "node:http";
import { displayNote } from "@turnpike/contract/shapes";
import { AppError } from "@turnpike/domain/errors/app-error";
import { isStorableText } from "@turnpike/domain/text/storable-text";
import { errors, type Provider } from "oidc-provider";
import { z } from "zod";
import { readJson } from "#http/json-body.ts";
import { isJsonType, sendJson } from "#http/raw-route.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type Accounts, normalizeEmail } from "../accounts/accounts.ts";
import type { AddressMoves } from "../accounts/move-address.ts";
import type { KnownBrowsers } from "../attempts/known-browsers.ts";
import { MOUNT_PATH, toLoginErrorAddress } from "./create-oidc.ts";
import { endProviderSession } from "./end-session.routes.ts";
import { assertFromOrigin } from "./same-origin.routes.ts";

export type PeopleRoutesDeps = Pick<AppServices, "transact" | "clock"> & {
  accounts: Accounts;
  moves: AddressMoves;
  knownBrowsers: KnownBrowsers;
};

/** A call from the sign-in pages. */
export type PeopleCall = {
  req: IncomingMessage;
  res: ServerResponse;
  provider: Provider;
  /** The network of the person, by `toNetwork`. */
  network: string;
};

const BODY_BYTES_MAX = 16 * 1024;

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

function signInExpired(cause?: unknown): AppError {
  return new AppError({
    code: "SIGN_IN_EXPIRED",
    publicMessage: "This sign-in has expired. Start over.",
    cause,
  });
}

/** The interaction that the browser's cookie belongs to. */
async function findInteraction({ req, res, provider }: PeopleCall, uid: string) {
  try {
    const interaction = await provider.interactionDetails(req, res);
    return interaction.uid === uid ? interaction : undefined;
  } catch (error) {
    if (error instanceof errors.SessionNotFound) {
      return;
    }
    throw error;
  }
}

type Interaction = NonNullable<Awaited<ReturnType<typeof findInteraction>>>;

/** The calls of the console's sign-in pages, and the page to which the provider sends browsers that must sign in. */
export function createPeopleRoutes(deps: PeopleRoutesDeps, options: { consoleUrl: string }) {
  const { accounts, clock, knownBrowsers, moves } = deps;
  const { consoleUrl } = options;
  const { origin } = new URL(consoleUrl);

  async function read<Schema extends z.ZodType>(
    req: IncomingMessage,
    schema: Schema,
  ): Promise<z.infer<Schema>> {
    assertFromOrigin(req.headers, origin);
    if (!isJsonType(req.headers["content-type"] ?? "")) {
      throw new AppError({
        code: "UNSUPPORTED_MEDIA_TYPE",
        publicMessage: "Send the body as application/json.",
      });
    }
    return await readJson(req, schema, BODY_BYTES_MAX);
  }

  async function getInteraction(call: PeopleCall, uid: string): Promise<Interaction> {
    const interaction = await findInteraction(call, uid);
    if (interaction === undefined) {
      throw signInExpired();
    }
    return interaction;
  }

  /** Lets the browser prove from now on that its user has signed in to the account before. */
  function remember({ req, res }: PeopleCall, email: string): void {
    const cookie = knownBrowsers.remember(req.headers.cookie, normalizeEmail(email));
    res.appendHeader("set-cookie", cookie);
  }

  /** @param startedAt - When the person signed in. A later change of password ends this sign-in too. */
  async function finish(
    call: PeopleCall,
    interaction: Interaction,
    input: { accountId: string; startedAt: Date },
  ): Promise<void> {
    const { req, res, provider } = call;
    const { accountId } = input;
    const session = await provider.Session.get(provider.createContext(req, res));
    if (session.accountId !== undefined && session.accountId !== accountId) {
      await endProviderSession(deps, session);
    }
    if (interaction.session?.accountId !== accountId) {
      delete interaction.session;
    }
    const ts = Math.floor(input.startedAt.getTime() / 1_000);
    interaction.result = { login: { accountId, ts, amr: ["pwd"] }, create: {} };
    await interaction.persist();
    sendJson(res, 200, { redirectTo: `${MOUNT_PATH}/auth/${interaction.uid}` });
  }

  return {
    /** Sends a browser to the page that asks for the missing step. */
    async show(call: PeopleCall, uid: string): Promise<void> {
      const interaction = await findInteraction(call, uid);
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
      const interaction = await getInteraction(call, uid);
      const startedAt = clock.now();
      const { accountId } = await accounts.signIn({
        ...input,
        network: call.network,
        knownBrowser: knownBrowsers.find(call.req.headers.cookie, normalizeEmail(input.email)),
      });
      remember(call, input.email);
      await finish(call, interaction, { accountId, startedAt });
    },

    async register(call: PeopleCall, uid: string): Promise<void> {
      const { email, password: chosen, name } = await read(call.req, registerRequest);
      const interaction = await getInteraction(call, uid);
      const registration = await accounts.register({
        email,
        password: chosen,
        name,
        network: call.network,
      });
      if (registration.kind === "confirmation_sent") {
        sendJson(call.res, 200, { confirmationSent: true });
        return;
      }
      const { accountId } = registration;
      remember(call, email);
      await finish(call, interaction, { accountId, startedAt: clock.now() });
    },

    async forgotPassword(call: PeopleCall): Promise<void> {
      const { email } = await read(call.req, forgotRequest);
      accounts.forgetPassword({ email, network: call.network });
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
