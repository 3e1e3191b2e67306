import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError, resourceNotFound } from "@turnpike/domain/errors/app-error";
import { isId, type TenantId } from "@turnpike/domain/ids/ids";
import { readBody } from "#http/raw-route.ts";
import { createSamlProtocol } from "../protocol/saml.ts";
import { SsoError } from "../protocol/sso-error.ts";
import { toServiceAddresses } from "../service-addresses.ts";
import type { SsoDeps } from "../sso.ports.ts";
import { type ProviderAnswer, takeAnswer } from "./take-answer.ts";

type Call = { req: IncomingMessage; res: ServerResponse };

/** An assertion in Base64, with its groups; larger ones are none. */
const FORM_BYTES_MAX = 400 * 1024;

function redirect(res: ServerResponse, location: string): void {
  res.writeHead(303, { location, "content-length": "0" });
  res.end();
}

function methodNotAllowed(allow: string): AppError {
  return new AppError({
    code: "METHOD_NOT_ALLOWED",
    publicMessage: `This address accepts ${allow}.`,
    headers: { allow },
  });
}

async function readSamlAnswer(req: IncomingMessage): Promise<ProviderAnswer> {
  const form = new URLSearchParams((await readBody(req, FORM_BYTES_MAX)).toString("utf8"));
  return {
    protocol: "saml",
    response: form.get("SAMLResponse") ?? "",
    relayState: form.get("RelayState") ?? "",
  };
}

/** Answers browsers that come from a tenant's provider, and providers that ask how this service describes itself. */
export function createSsoSignInHandler(deps: SsoDeps) {
  const { consoleUrl } = deps;

  async function finish(res: ServerResponse, tenantId: TenantId, answer: ProviderAnswer) {
    try {
      const { interaction, result } = await takeAnswer(deps, { tenantId, answer });
      redirect(res, `${consoleUrl}/idp/interaction/${interaction}/sso?result=${result}`);
    } catch (error) {
      if (!(error instanceof SsoError)) {
        throw error;
      }
      deps.logger.info({ tenantId, reason: error.message }, "a single sign-on failed");
      redirect(res, `${consoleUrl}/login?error=${error.code}`);
    }
  }

  /** @param path - Below `/idp`: `/sso/<tenant>/callback`, `/acs` or `/metadata`. */
  return async ({ req, res }: Call, path: string): Promise<void> => {
    const [, , tenantId = "", part] = path.split("/");
    if (!isId("tenant", tenantId)) {
      throw resourceNotFound("address");
    }
    if (part === "acs") {
      if (req.method !== "POST") {
        throw methodNotAllowed("POST");
      }
      await finish(res, tenantId, await readSamlAnswer(req));
      return;
    }
    if (req.method !== "GET") {
      throw methodNotAllowed("GET");
    }
    if (part === "callback") {
      const callback = new URL(req.url ?? "/", consoleUrl);
      await finish(res, tenantId, { protocol: "oidc", callback });
      return;
    }
    const service = toServiceAddresses(consoleUrl, { tenantId, slug: "" });
    const body = createSamlProtocol(deps).describe(service);
    res.writeHead(200, {
      "content-type": "application/samlmetadata+xml",
      "content-length": String(Buffer.byteLength(body)),
    });
    res.end(body);
  };
}
