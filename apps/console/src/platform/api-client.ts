import { createORPCClient, onError } from "@orpc/client";
import type { AnyContractRouter, ContractRouterClient } from "@orpc/contract";
import type { JsonifiedClient } from "@orpc/openapi-client";
import { OpenAPILink } from "@orpc/openapi-client/fetch";
import type { contract } from "@turnpike/contract/contract";
import contractRoutes from "./contract.gen.json" with { type: "json" };
import { rethrowReadable } from "./error-message.ts";
import { type GetIdToken, sendSignedIn } from "./send-signed-in.ts";

/** Every operation of the API, typed by the contract. */
export type ApiClient = JsonifiedClient<ContractRouterClient<typeof contract>>;

export type ApiClientOptions = {
  /** Origin of the API, without `/v1`. */
  apiUrl: string;
  /** Asked before every call; undefined sends no header. */
  getIdToken: GetIdToken;
};

/**
 * Makes the client of the API.
 *
 * A call that fails throws a `RequestError` whose message a person may read.
 */
export function createApiClient({ apiUrl, getIdToken }: ApiClientOptions): ApiClient {
  const link = new OpenAPILink(asRouter(contractRoutes), {
    url: `${apiUrl}/v1`,
    fetch: async (request, init) =>
      toReadableProblem(
        await sendSignedIn(getIdToken, (idToken) => fetch(withHeaders(request, idToken), init)),
      ),
    interceptors: [onError(rethrowReadable)],
  });
  return createORPCClient<ApiClient>(link);
}

/** A copy, for a body can be sent once. */
function withHeaders(request: Request, idToken: string | undefined): Request {
  const copy = request.clone();
  if (!copy.headers.has("content-type")) {
    copy.headers.set("content-type", "application/json");
  }
  if (idToken !== undefined) {
    copy.headers.set("authorization", `Bearer ${idToken}`);
  }
  return copy;
}

/** The link reads only `application/json`; a problem (RFC 9457) would reach the error rule as an unread file. */
function toReadableProblem(response: Response): Response {
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json");
  if (isProblem !== true) {
    return response;
  }
  const headers = new Headers(response.headers);
  headers.set("content-type", "application/json");
  return new Response(response.body, { status: response.status, headers });
}

/** The JSON is the contract without its schemas, written by the build; a test holds it against the contract. */
function asRouter(routes: object): AnyContractRouter {
  return routes as AnyContractRouter;
}
