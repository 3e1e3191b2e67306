import type { ServerResponse } from "node:http";
import { implement } from "@orpc/server";
import { deviceSignInsContract, personTokensContract } from "@turnpike/contract/device-sign-ins";
import { displayText } from "@turnpike/contract/shapes";
import { AppError } from "@turnpike/domain/errors/app-error";
import type { HttpContext } from "#http/http-context.ts";
import { type RawCall, type RawRoute, readBody, sendJson } from "#http/raw-route.ts";
import type { AppServices } from "#platform/app-services.ts";
import { type AttemptLimits, toNetwork } from "../attempts/attempt-limits.ts";
import { beginDeviceSignIn } from "./begin-device-sign-in.ts";
import { decideDeviceSignIn, viewDeviceSignIn } from "./decide-device-sign-in.ts";
import {
  endPersonToken,
  getPersonOfCall,
  listPersonTokens,
  revokePersonToken,
} from "./manage-person-tokens.ts";
import { isPersonToken } from "./person-tokens.ts";
import { pollDeviceSignIn } from "./poll-device-sign-in.ts";

export type DevicesDeps = AppServices & {
  attempts: AttemptLimits;
  /** Public address of the console, without a slash at the end. */
  consoleUrl: string;
};

/** The only client: it is public, and its person decides. */
export const DEVICE_CLIENT_ID = "turnpike-cli";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
const BODY_BYTES_MAX = 4 * 1024;
const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const DEVICE_CODE = /^[\w-]{43}$/;

const clientName = displayText(100);

async function readForm({ req }: RawCall): Promise<URLSearchParams> {
  if (!FORM.test(req.headers["content-type"] ?? "")) {
    throw new AppError({
      code: "UNSUPPORTED_MEDIA_TYPE",
      publicMessage: "Send the parameters as application/x-www-form-urlencoded.",
    });
  }
  return new URLSearchParams((await readBody(req, BODY_BYTES_MAX)).toString("utf8"));
}

/** Refuses in the words of OAuth, which its clients read (RFC 6749, section 5.2). */
function refuse(res: ServerResponse, error: string): void {
  sendJson(res, error === "invalid_client" ? 401 : 400, { error });
}

/** The program's side of a device sign-in (RFC 8628), and the end of what it gives out (RFC 7009). */
export function createDeviceRawRoutes(deps: DevicesDeps): RawRoute[] {
  const networkOf = (context: HttpContext) => toNetwork(context.clientAddress());

  async function authorize(call: RawCall): Promise<void> {
    const { res, context } = call;
    const form = await readForm(call);
    if (form.get("client_id") !== DEVICE_CLIENT_ID) {
      refuse(res, "invalid_client");
      return;
    }
    await deps.attempts.take("device", { network: networkOf(context) });
    const named = clientName.safeParse(form.get("name") ?? "A command line");
    if (!named.success) {
      refuse(res, "invalid_request");
      return;
    }
    const address = context.clientAddress();
    const started = await beginDeviceSignIn(deps, { name: named.data, address });
    const page = `${deps.consoleUrl}/device`;
    sendJson(res, 200, {
      device_code: started.deviceCode,
      user_code: started.userCode,
      verification_uri: page,
      // The code is typed or compared by the person; a link that carries it would let others lure people (RFC 8628, section 5.4).
      expires_in: started.expiresInSeconds,
      interval: started.intervalSeconds,
    });
  }

  async function token(call: RawCall): Promise<void> {
    const { res, context } = call;
    const form = await readForm(call);
    const attempt = { network: networkOf(context) };
    await deps.attempts.take("device-token", attempt);
    const deviceCode = form.get("device_code") ?? "";
    if (form.get("grant_type") !== GRANT_TYPE) {
      refuse(res, "unsupported_grant_type");
      return;
    }
    if (form.get("client_id") !== DEVICE_CLIENT_ID) {
      refuse(res, "invalid_client");
      return;
    }
    const outcome = DEVICE_CODE.test(deviceCode)
      ? await pollDeviceSignIn(deps, { deviceCode, requestId: context.requestId })
      : ({ kind: "refused", error: "invalid_grant" } as const);
    if (outcome.kind !== "refused" || outcome.error !== "invalid_grant") {
      deps.attempts.giveBack("device-token", attempt);
    }
    if (outcome.kind === "refused") {
      refuse(res, outcome.error);
      return;
    }
    sendJson(res, 200, {
      access_token: outcome.token,
      token_type: "Bearer",
      expires_in: outcome.expiresInSeconds,
    });
  }

  async function revoke(call: RawCall): Promise<void> {
    const text = (await readForm(call)).get("token") ?? "";
    const attempt = { network: networkOf(call.context) };
    await deps.attempts.take("device-token", attempt);
    const { requestId } = call.context;
    if (isPersonToken(text) && (await endPersonToken(deps, { token: text, requestId }))) {
      deps.attempts.giveBack("device-token", attempt);
    }
    sendJson(call.res, 200, {});
  }

  const post = (path: string, handle: RawRoute["handle"]): RawRoute => ({
    method: "POST",
    path,
    handle,
  });
  return [
    post("/device/authorize", authorize),
    post("/device/token", token),
    post("/device/revoke", revoke),
  ];
}

/** The person's side. */
export function createDeviceRoutes(deps: DevicesDeps) {
  const os = implement(deviceSignInsContract).$context<HttpContext>();
  const typed = (input: { userCode: string }, context: HttpContext) => ({
    userCode: input.userCode,
    network: toNetwork(context.clientAddress()),
  });
  return os.router({
    view: os.view.handler(({ input, context }) =>
      viewDeviceSignIn(deps, context.call(), typed(input, context)),
    ),
    decide: os.decide.handler(({ input, context }) =>
      decideDeviceSignIn(deps, context.call(), {
        ...typed(input, context),
        decision: input.decision,
      }),
    ),
  });
}

export function createPersonTokensRoutes(deps: AppServices) {
  const os = implement(personTokensContract).$context<HttpContext>();
  return os.router({
    whoami: os.whoami.handler(({ context }) => getPersonOfCall(deps, context.call())),
    list: os.list.handler(({ context }) => listPersonTokens(deps, context.call())),
    revoke: os.revoke.handler(({ input, context }) =>
      revokePersonToken(deps, context.call(), input),
    ),
  });
}
