import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "@turnpike/domain/errors/app-error";
import { errors, type Provider } from "oidc-provider";
import type { z } from "zod";
import { readJson } from "#http/json-body.ts";
import { isJsonType, sendJson } from "#http/raw-route.ts";
import type { AppServices } from "#platform/app-services.ts";
import { MOUNT_PATH } from "./create-oidc.ts";
import { endProviderSession } from "./end-session.routes.ts";
import { assertFromOrigin } from "./same-origin.routes.ts";
import type { SsoSession } from "./sso-session.ts";

/** A call from the pages of the console. */
export type PeopleCall = {
  req: IncomingMessage;
  res: ServerResponse;
  provider: Provider;
  /** The network of the person, by `toNetwork`. */
  network: string;
};

const BODY_BYTES_MAX = 16 * 1024;

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

export type Interaction = NonNullable<Awaited<ReturnType<typeof findInteraction>>>;

export type EndedSignIn = {
  accountId: string;
  /** When the person signed in. A later change of password ends this sign-in too. */
  startedAt: Date;
  /** How, in the words of RFC 8176. */
  methods: readonly string[];
  /** By whose single sign-on; left out: by none. */
  via?: SsoSession;
};

export type Interactions = {
  /** Reads a body that a page of the console sent. @throws {AppError} `CROSS_ORIGIN`, `UNSUPPORTED_MEDIA_TYPE`, `INVALID_REQUEST`. */
  read<Schema extends z.ZodType>(req: IncomingMessage, schema: Schema): Promise<z.infer<Schema>>;
  find(call: PeopleCall, uid: string): Promise<Interaction | undefined>;
  /** @throws {AppError} `SIGN_IN_EXPIRED`. */
  get(call: PeopleCall, uid: string): Promise<Interaction>;
  /** Ends the sign-in. @returns The way back to the console, a path. */
  end(call: PeopleCall, interaction: Interaction, input: EndedSignIn): Promise<string>;
  /** Ends the sign-in, and answers a page of the console with the way back. */
  finish(call: PeopleCall, interaction: Interaction, input: EndedSignIn): Promise<void>;
};

/** What all calls of sign-ins in progress share. */
export function createInteractions(
  deps: Pick<AppServices, "transact">,
  options: { consoleUrl: string },
): Interactions {
  const { origin } = new URL(options.consoleUrl);

  async function end(
    call: PeopleCall,
    interaction: Interaction,
    input: EndedSignIn,
  ): Promise<string> {
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
    interaction.result = {
      login: { accountId, ts, amr: [...input.methods] },
      create: {},
      via: input.via,
    };
    await interaction.persist();
    return `${MOUNT_PATH}/auth/${interaction.uid}`;
  }

  return {
    async read(req, schema) {
      assertFromOrigin(req.headers, origin);
      if (!isJsonType(req.headers["content-type"] ?? "")) {
        throw new AppError({
          code: "UNSUPPORTED_MEDIA_TYPE",
          publicMessage: "Send the body as application/json.",
        });
      }
      return await readJson(req, schema, BODY_BYTES_MAX);
    },
    find: findInteraction,
    async get(call, uid) {
      const interaction = await findInteraction(call, uid);
      if (interaction === undefined) {
        throw signInExpired();
      }
      return interaction;
    },
    end,
    async finish(call, interaction, input) {
      sendJson(call.res, 200, { redirectTo: await end(call, interaction, input) });
    },
  };
}
