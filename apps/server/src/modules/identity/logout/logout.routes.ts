import type { IncomingMessage, ServerResponse } from "node:http";
import { resourceNotFound } from "@turnpike/domain/errors/app-error";
import { errors } from "jose";
import { type RawRoute, readBody, sendJson } from "#http/raw-route.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type AttemptLimits, toNetwork } from "../attempts/attempt-limits.ts";
import { ClaimError } from "../tokens/token-claims.ts";
import { type LogoutAudience, verifyLogoutToken } from "../tokens/verify-logout-token.ts";
import { type EndSessionsDeps, endProviderSessions } from "./end-provider-sessions.ts";

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const BODY_BYTES_MAX = 16 * 1024;

async function readToken(req: IncomingMessage): Promise<string> {
  if (!FORM.test(req.headers["content-type"] ?? "")) {
    throw new ClaimError("Send the token as application/x-www-form-urlencoded.");
  }
  const form = new URLSearchParams((await readBody(req, BODY_BYTES_MAX)).toString("utf8"));
  const tokens = form.getAll("logout_token");
  const [token] = tokens;
  if (token === undefined || token === "" || tokens.length > 1) {
    throw new ClaimError('Send one parameter "logout_token".');
  }
  return token;
}

/**
 * Answers a provider that says that someone signed out there (OpenID Connect Back-Channel Logout 1.0, section 2.8): 200 when it is
 * done, 400 for what is no valid logout token.
 *
 * @param input.end - Checks the token and ends what it names.
 * @param input.network - Who asks, from `toNetwork`; only refusals count towards its limit.
 * @throws {AppError} `TOO_MANY_ATTEMPTS`, `IDENTITY_PROVIDER_UNAVAILABLE`.
 */
export async function answerLogout(
  deps: { attempts: AttemptLimits; logger: Pick<AppServices["logger"], "info"> },
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  input: { network: string; end(token: string): Promise<void> },
): Promise<void> {
  const attempt = { network: input.network };
  await deps.attempts.take("logout", attempt);
  try {
    await input.end(await readToken(req));
  } catch (error) {
    if (!(error instanceof ClaimError || error instanceof errors.JOSEError)) {
      throw error;
    }
    deps.logger.info({ reason: error.message }, "a logout token was refused");
    sendJson(res, 400, { error: "invalid_request", error_description: error.message });
    return;
  }
  deps.attempts.giveBack("logout", attempt);
  sendJson(res, 200, {});
}

/** A provider of the configuration, with the keys of its tokens. */
export type LogoutProvider = LogoutAudience & { id: string };

/** Takes logout tokens of the providers of the configuration. */
export function createLogoutRoutes(
  deps: EndSessionsDeps &
    Pick<AppServices, "logger"> & {
      attempts: AttemptLimits;
      providers: readonly LogoutProvider[];
    },
): RawRoute[] {
  return [
    {
      method: "POST",
      path: "/auth/providers/{providerId}/logout",
      async handle({ req, res, params, context }) {
        const provider = deps.providers.find(({ id }) => id === params["providerId"]);
        if (provider === undefined) {
          throw resourceNotFound("address");
        }
        await answerLogout(
          deps,
          { req, res },
          {
            network: toNetwork(context.clientAddress()),
            end: async (token) => {
              const claims = await verifyLogoutToken(token, provider, deps.clock.now());
              await endProviderSessions(deps, provider, claims);
            },
          },
        );
      },
    },
  ];
}
