import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import { AGENT_SCOPES, type AgentScope } from "@turnpike/contract/agent-grants";
import { tenantId } from "@turnpike/contract/shapes";
import type { CallContext } from "@turnpike/domain/access/actor";
import { AppError } from "@turnpike/domain/errors/app-error";
import { errors } from "oidc-provider";
import { z } from "zod";
import { authenticate, type FindActor, unauthenticated } from "#http/authenticate.ts";
import type { HttpContext } from "#http/http-context.ts";
import { assertJsonType, readJson } from "#http/json-body.ts";
import { type RawCall, type RawRoute, sendJson } from "#http/raw-route.ts";
import {
  type AttemptLimits,
  assertFromOrigin,
  assertNotEmbedded,
  toLibraryRequest,
  toNetwork,
} from "#modules/identity/index.ts";
import type { AppServices } from "#platform/app-services.ts";
import type { GuardedOutbound } from "#platform/guarded-outbound.ts";
import type { Sealer } from "#platform/sealer.ts";
import { SIGN_INS } from "#platform/transact.ts";
import {
  createClientRegistry,
  registrationRequest,
  toClientName,
  toRedirectTarget,
} from "./client-metadata.ts";
import {
  createAuthorizationServer,
  OAUTH_PATH,
  REQUEST_SECONDS,
  toRequestErrorAddress,
} from "./create-authorization-server.ts";
import { endAgentGrant } from "./end-agent-grant.ts";
import { type ConnectRequest, getPersonInBrowser, grantAgent } from "./grant-agent.ts";

export type AuthorizationRoutesDeps = AppServices & {
  attempts: AttemptLimits;
  findActor: FindActor;
  documents: Pick<GuardedOutbound, "get">;
  /** Seals what programs say of themselves when they register. */
  sealer: Sealer;
  isActive(agentGrantId: string): Promise<boolean>;
  /** Public address, without a slash at the end. */
  consoleUrl: string;
  /** The only address that tokens are made for. */
  resource: string;
};

const BODY_BYTES_MAX = 16 * 1024;
const CLIENT_ID_LENGTH_MAX = 4 * 1024;
const UID = /^[\w-]{16,128}$/;

const decision = z.discriminatedUnion("decision", [
  z.strictObject({
    decision: z.literal("allow"),
    tenantId,
    scopes: z.array(z.enum(AGENT_SCOPES)).min(1).max(AGENT_SCOPES.length),
  }),
  z.strictObject({ decision: z.literal("deny") }),
]);

type Allowance = Extract<z.output<typeof decision>, { decision: "allow" }>;

/** What authorization server metadata says (RFC 8414). Clients that only know OpenID's discovery need its members as well. */
function describeServer(issuer: string, consoleUrl: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    registration_endpoint: `${issuer}/register`,
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: AGENT_SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
    service_documentation: `${consoleUrl}/docs/agents`,
  };
}

function requestExpired(): AppError {
  return new AppError({
    code: "SIGN_IN_EXPIRED",
    publicMessage: "This request has expired. Start over in the program.",
  });
}

function toAgentScopes(scope: unknown): AgentScope[] {
  const asked = typeof scope === "string" ? scope.split(" ") : [];
  const known = AGENT_SCOPES.filter((each) => asked.includes(each));
  return known.length === 0 ? [...AGENT_SCOPES] : known;
}

/** The authorization server of agents: discovery, registration, tokens, and the person's decision. */
export function createAuthorizationRoutes(deps: AuthorizationRoutesDeps): RawRoute[] {
  const { consoleUrl, attempts } = deps;
  const publicUrl = new URL(consoleUrl);
  const issuer = consoleUrl + OAUTH_PATH;
  const clients = createClientRegistry(deps.sealer);
  /** The network of the request under way, which the library does not know. */
  const network = new AsyncLocalStorage<string>();
  const networkOf = (context: HttpContext) => toNetwork(context.clientAddress());

  const provider = createAuthorizationServer(
    {
      ...deps,
      clients,
      mayFetch: async () => {
        try {
          await attempts.take("client-document", { network: network.getStore() ?? "unknown" });
          return true;
        } catch {
          return false;
        }
      },
    },
    deps,
  );
  const listener = provider.callback();

  async function askLibrary({ req, res, context }: RawCall): Promise<void> {
    res.setHeader("cache-control", "no-store");
    toLibraryRequest(req, { publicUrl, mountPath: OAUTH_PATH });
    await network.run(networkOf(context), () => listener(req, res));
  }

  async function authorize(call: RawCall): Promise<void> {
    assertNotEmbedded(call.req.headers, publicUrl.origin);
    await attempts.take("begin", { network: networkOf(call.context) });
    await askLibrary(call);
  }

  async function resume(call: RawCall): Promise<void> {
    await attempts.take("resume", { network: networkOf(call.context) });
    await askLibrary(call);
  }

  /** Counts only what fails: an agent that is connected asks often. */
  async function serveToken(call: RawCall): Promise<void> {
    const attempt = { network: networkOf(call.context) };
    await attempts.take("client-token", attempt);
    await askLibrary(call);
    if (call.res.statusCode < 400) {
      attempts.giveBack("client-token", attempt);
    }
  }

  async function register({ req, res, context }: RawCall): Promise<void> {
    await attempts.take("client", { network: networkOf(context) });
    assertJsonType(req);
    const request = registrationRequest.safeParse(await readJson(req, z.unknown(), BODY_BYTES_MAX));
    if (!request.success) {
      // In the words of OAuth, which its clients read (RFC 7591, section 3.2.2).
      sendJson(res, 400, {
        error: "invalid_redirect_uri",
        error_description: "redirect_uris must name one to ten addresses",
      });
      return;
    }
    const client = await clients.register(request.data);
    try {
      if (client.client_id.length > CLIENT_ID_LENGTH_MAX) {
        throw new errors.InvalidClientMetadata("the redirect addresses are too long");
      }
      await provider.Client.validate(client);
    } catch (error) {
      if (!(error instanceof errors.OIDCProviderError)) {
        throw error;
      }
      const { error: code, error_description } = error;
      const isRedirect = error_description?.includes("redirect_uri") === true;
      sendJson(res, 400, { error: isRedirect ? "invalid_redirect_uri" : code, error_description });
      return;
    }
    sendJson(res, 201, {
      ...client,
      client_id_issued_at: Math.floor(deps.clock.now().getTime() / 1_000),
    });
  }

  /** The request that the browser's cookie belongs to: a link to it is worth nothing in another browser. */
  async function findRequest(req: IncomingMessage, res: ServerResponse, uid: string) {
    try {
      const found = UID.test(uid) ? await provider.interactionDetails(req, res) : undefined;
      return found?.uid === uid ? found : undefined;
    } catch (error) {
      if (error instanceof errors.SessionNotFound) {
        return;
      }
      throw error;
    }
  }

  type Found = NonNullable<Awaited<ReturnType<typeof findRequest>>>;

  /** Its description may have to be fetched anew: it is kept for minutes, and by one thread. */
  async function findClient(context: HttpContext, clientId: string) {
    try {
      return await network.run(networkOf(context), () => provider.Client.find(clientId));
    } catch (error) {
      if (error instanceof errors.OIDCProviderError) {
        return;
      }
      throw error;
    }
  }

  async function describe(
    context: HttpContext,
    found: Found,
  ): Promise<ConnectRequest & { returnsTo: string }> {
    const clientId = String(found.params["client_id"]);
    const client = await findClient(context, clientId);
    if (client === undefined) {
      throw requestExpired();
    }
    return {
      name: toClientName(client.clientName),
      host: clientId.startsWith("https:") ? new URL(clientId).host : null,
      scopes: toAgentScopes(found.params["scope"]),
      returnsTo: toRedirectTarget(String(found.params["redirect_uri"])),
    };
  }

  /** Sends a browser to the page where the person decides. */
  async function show({ req, res, params }: RawCall): Promise<void> {
    const { uid = "" } = params;
    const found = await findRequest(req, res, uid);
    res.writeHead(303, {
      location:
        found === undefined
          ? toRequestErrorAddress(consoleUrl, "expired")
          : `${consoleUrl}/connect?request=${uid}`,
      "cache-control": "no-store",
      "content-length": "0",
    });
    res.end();
  }

  async function getFound({ req, res, params }: RawCall): Promise<Found> {
    const found = await findRequest(req, res, params["uid"] ?? "");
    if (found === undefined) {
      throw requestExpired();
    }
    return found;
  }

  async function getCall({ req, context }: RawCall): Promise<CallContext> {
    const actor = await authenticate(req, deps.findActor, () => context.clientAddress());
    if (actor === undefined) {
      throw unauthenticated();
    }
    const call = { actor, requestId: context.requestId };
    getPersonInBrowser(call);
    return call;
  }

  async function view(call: RawCall): Promise<void> {
    await getCall(call);
    sendJson(call.res, 200, await describe(call.context, await getFound(call)));
  }

  async function decide(call: RawCall): Promise<void> {
    const { req, res } = call;
    assertFromOrigin(req.headers, publicUrl.origin);
    const person = await getCall(call);
    assertJsonType(req);
    const decided = await readJson(req, decision, BODY_BYTES_MAX);
    const found = await getFound(call);
    // The browser may have been used by another person before: who they were decides on nothing.
    const session = await provider.Session.get(provider.createContext(req, res));
    if (session.accountId !== undefined) {
      await session.destroy();
    }
    delete found.session;
    const { grantId: earlier } = found.result?.consent ?? {};
    if (earlier !== undefined) {
      // The answer was lost, or the person thought again: what they decided last counts.
      await deps.transact.asOperator((tx) => endAgentGrant(tx, earlier), SIGN_INS);
    }
    found.result =
      decided.decision === "deny"
        ? { error: "access_denied", error_description: "the person did not allow it" }
        : await allow(call.context, found, { person, decided });
    await found.persist();
    sendJson(res, 200, { redirectTo: `${OAUTH_PATH}/authorize/${found.uid}` });
  }

  async function allow(
    context: HttpContext,
    found: Found,
    { person, decided }: { person: CallContext; decided: Allowance },
  ): Promise<NonNullable<Found["result"]>> {
    const { agentGrantId, scopes } = await grantAgent(deps, person, {
      ...decided,
      request: await describe(context, found),
      lifetimeMs: REQUEST_SECONDS * 1_000,
    });
    const accountId = person.actor.id;
    const grant = new provider.Grant({ clientId: String(found.params["client_id"]), accountId });
    grant.jti = agentGrantId;
    grant.addResourceScope(deps.resource, scopes.join(" "));
    await grant.save();
    const ts = Math.floor(deps.clock.now().getTime() / 1_000);
    return { login: { accountId, ts, remember: false }, consent: { grantId: agentGrantId } };
  }

  const sendMetadata: RawRoute["handle"] = ({ res }) => {
    // Public: a client in a page reads it before it has a credential.
    res.setHeader("access-control-allow-origin", "*");
    sendJson(res, 200, describeServer(issuer, consoleUrl));
  };

  const get = (path: string, handle: RawRoute["handle"]): RawRoute => ({
    method: "GET",
    path,
    handle,
  });
  const post = (path: string, handle: RawRoute["handle"]): RawRoute => ({
    method: "POST",
    path,
    handle,
  });
  return [
    get(`/.well-known/oauth-authorization-server${OAUTH_PATH}`, sendMetadata),
    get(`/.well-known/openid-configuration${OAUTH_PATH}`, sendMetadata),
    get(`${OAUTH_PATH}/.well-known/openid-configuration`, sendMetadata),
    get(`${OAUTH_PATH}/jwks`, ({ res }) => sendJson(res, 200, { keys: [] })),
    get(`${OAUTH_PATH}/authorize`, authorize),
    get(`${OAUTH_PATH}/authorize/{uid}`, resume),
    post(`${OAUTH_PATH}/token`, serveToken),
    post(`${OAUTH_PATH}/revoke`, serveToken),
    post(`${OAUTH_PATH}/register`, register),
    get(`${OAUTH_PATH}/requests/{uid}`, show),
    get(`${OAUTH_PATH}/requests/{uid}/view`, view),
    post(`${OAUTH_PATH}/requests/{uid}/decision`, decide),
  ];
}
