import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { type RawCall, type RawRoute, readBody, sendJson } from "#http/raw-route.ts";
import { type AttemptLimits, toNetwork } from "../attempts/attempt-limits.ts";
import { assertFromOrigin } from "../provider/same-origin.routes.ts";
import {
  type CodeExchange,
  type CodeExchangeDeps,
  type ConfidentialClient,
  createCodeExchange,
  type TokenAnswer,
} from "./code-exchange.ts";

export type CodeExchangeRoutesDeps = CodeExchangeDeps & {
  attempts: AttemptLimits;
  clients: readonly ConfidentialClient[];
};

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;
/** Codes and refresh tokens of some providers are signed texts of their own. */
const BODY_BYTES_MAX = 16 * 1024;
/** RFC 7636, section 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/;

async function readForm({ req }: RawCall): Promise<URLSearchParams> {
  if (!FORM.test(req.headers["content-type"] ?? "")) {
    throw new AppError({
      code: "UNSUPPORTED_MEDIA_TYPE",
      publicMessage: "Send the parameters as application/x-www-form-urlencoded.",
    });
  }
  return new URLSearchParams((await readBody(req, BODY_BYTES_MAX)).toString("utf8"));
}

async function trade(exchange: CodeExchange, form: URLSearchParams): Promise<TokenAnswer> {
  const grant = form.get("grant_type");
  if (grant === "authorization_code") {
    const code = form.get("code") ?? "";
    const verifier = form.get("code_verifier") ?? "";
    return code !== "" && VERIFIER.test(verifier)
      ? await exchange.redeemCode({ code, verifier })
      : { status: 400, error: "invalid_request" };
  }
  if (grant === "refresh_token") {
    const refreshToken = form.get("refresh_token") ?? "";
    return refreshToken === ""
      ? { status: 400, error: "invalid_request" }
      : await exchange.refresh(refreshToken);
  }
  return { status: 400, error: "unsupported_grant_type" };
}

/**
 * Fronts the token endpoints of providers that demand a client secret. The page keeps state, nonce and verifier, as with
 * any provider; the server adds the secret. Nothing is kept of an attempt: what is asked for is bound by the verifier.
 */
export function createCodeExchangeRoutes(deps: CodeExchangeRoutesDeps): RawRoute[] {
  const { attempts, consoleUrl } = deps;
  const exchanges = new Map(
    deps.clients.map((client) => [client.id, createCodeExchange(deps, client)] as const),
  );

  function getExchange({ params }: RawCall): CodeExchange {
    const exchange = exchanges.get(params["providerId"] ?? "");
    if (exchange === undefined) {
      throw resourceNotFound("address");
    }
    return exchange;
  }

  /** Only what fails counts: an office of people who sign in behind one address is no attack. */
  async function count<Result>(
    { context }: RawCall,
    work: () => Promise<{ result: Result; isGood: boolean }>,
  ): Promise<Result> {
    const attempt = { network: toNetwork(context.clientAddress()) };
    await attempts.take("client-token", attempt);
    const { result, isGood } = await work();
    if (isGood) {
      attempts.giveBack("client-token", attempt);
    }
    return result;
  }

  return [
    {
      method: "GET",
      path: "/auth/providers/{providerId}/configuration",
      async handle(call) {
        const exchange = getExchange(call);
        const found = await count(call, async () => ({
          result: await exchange.describe(),
          isGood: true,
        }));
        sendJson(call.res, 200, found);
      },
    },
    {
      method: "POST",
      path: "/auth/providers/{providerId}/token",
      async handle(call) {
        assertFromOrigin(call.req.headers, consoleUrl);
        const exchange = getExchange(call);
        const form = await readForm(call);
        const answer = await count(call, async () => {
          const result = await trade(exchange, form);
          return { result, isGood: result.status === 200 };
        });
        if (answer.status === 200) {
          sendJson(call.res, 200, answer.tokens);
        } else {
          sendJson(call.res, 400, { error: answer.error });
        }
      },
    },
    {
      method: "POST",
      path: "/auth/providers/{providerId}/revocation",
      async handle(call) {
        assertFromOrigin(call.req.headers, consoleUrl);
        const exchange = getExchange(call);
        const token = (await readForm(call)).get("token") ?? "";
        await count(call, async () => ({ result: await exchange.revoke(token), isGood: false }));
        sendJson(call.res, 200, {});
      },
    },
  ];
}
