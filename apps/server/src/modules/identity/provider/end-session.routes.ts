import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "@turnpike/domain/errors/app-error";
import { compactVerify, createLocalJWKSet, type JWK } from "jose";
import type { Provider } from "oidc-provider";
import { z } from "zod";
import { readBody, readQuery } from "#http/raw-route.ts";
import type { AppServices } from "#platform/app-services.ts";
import { SIGN_INS } from "#platform/transact.ts";
import { CONSOLE_CLIENT_ID, cookieNames, toLoginErrorAddress } from "./create-oidc.ts";
import { revokeGrant } from "./oidc-adapter.ts";
import { isFromOrigin } from "./same-origin.routes.ts";

export type EndSessionDeps = Pick<AppServices, "transact">;

type ProviderSession = Awaited<ReturnType<Provider["Session"]["get"]>>;

const BODY_BYTES_MAX = 16 * 1024;
const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

const hintClaims = z.object({ iss: z.string(), aud: z.string(), sub: z.string() });

/** Ends a session and everything given out in it. */
export async function endProviderSession(
  deps: EndSessionDeps,
  session: ProviderSession,
): Promise<void> {
  const grantIds = Object.values(session.authorizations ?? {}).flatMap(({ grantId }) =>
    grantId === undefined ? [] : [grantId],
  );
  await deps.transact.asOperator(async (tx) => {
    for (const grantId of grantIds) {
      await revokeGrant(tx, grantId);
    }
  }, SIGN_INS);
  await session.destroy();
}

async function readParameters(req: IncomingMessage): Promise<URLSearchParams> {
  if (req.method !== "POST") {
    return readQuery(req);
  }
  const body = await readBody(req, BODY_BYTES_MAX);
  if (body.length > 0 && !FORM.test(req.headers["content-type"] ?? "")) {
    throw new AppError({
      code: "UNSUPPORTED_MEDIA_TYPE",
      publicMessage: "Send the parameters as application/x-www-form-urlencoded.",
    });
  }
  return new URLSearchParams(body.toString("utf8"));
}

/**
 * Ends a session (OpenID Connect RP-Initiated Logout 1.0) without a confirmation page. A request with an ID token of the session, or
 * from the console itself, is intentional; any other is sent to the console, which can ask.
 */
export function createEndSessionRoute(
  deps: EndSessionDeps,
  options: { consoleUrl: string; issuer: string; publicKeys(): readonly JWK[] },
) {
  const { consoleUrl, issuer } = options;
  const { origin } = new URL(consoleUrl);
  const home = `${consoleUrl}/`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=0${consoleUrl.startsWith("https:") ? "; Secure" : ""}`;
  const clearCookie = `${cookieNames(consoleUrl).session}=; ${attributes}`;

  /** The subject of one of our ID tokens for the console, however old. */
  async function findHintSubject(hint: string | null): Promise<string | undefined> {
    if (hint === null) {
      return;
    }
    const keys = createLocalJWKSet({ keys: [...options.publicKeys()] });
    // A hint without a valid signature is ignored.
    const verified = await compactVerify(hint, keys, { algorithms: ["ES256"] }).catch(
      () => undefined,
    );
    if (verified === undefined) {
      return;
    }
    const claims = hintClaims.parse(JSON.parse(new TextDecoder().decode(verified.payload)));
    return claims.iss === issuer && claims.aud === CONSOLE_CLIENT_ID ? claims.sub : undefined;
  }

  function toTarget(parameters: URLSearchParams): string {
    const state = parameters.get("state");
    const isAsked = parameters.get("post_logout_redirect_uri") === home;
    return isAsked && state !== null && state.length <= 1_024
      ? `${home}?state=${encodeURIComponent(state)}`
      : home;
  }

  return async (call: {
    req: IncomingMessage;
    res: ServerResponse;
    provider: Provider;
  }): Promise<void> => {
    const { req, res, provider } = call;
    const parameters = await readParameters(req);
    const session = await provider.Session.get(provider.createContext(req, res));
    const isOwnPage = req.method === "POST" && isFromOrigin(req.headers, origin);
    const subject = await findHintSubject(parameters.get("id_token_hint"));
    const isMeant = isOwnPage || (subject !== undefined && subject === session.accountId);
    if (session.accountId !== undefined && !isMeant) {
      res.writeHead(303, {
        location: toLoginErrorAddress(consoleUrl, "sign_out_unconfirmed"),
        "content-length": "0",
      });
      res.end();
      return;
    }
    if (session.accountId !== undefined) {
      await endProviderSession(deps, session);
    }
    res.writeHead(303, {
      location: toTarget(parameters),
      "set-cookie": clearCookie,
      "content-length": "0",
    });
    res.end();
  };
}
