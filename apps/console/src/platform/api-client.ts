import { createORPCClient, onError } from "@orpc/client";
import type { AnyContractRouter, ContractRouterClient } from "@orpc/contract";
import type { JsonifiedClient } from "@orpc/openapi-client";
import { OpenAPILink } from "@orpc/openapi-client/fetch";
import type { contract } from "@turnpike/contract/contract";
import contractRoutes from "./contract.gen.json" with { type: "json" };
import { rethrowReadable } from "./error-message.ts";

/** Every operation of the API, typed by the contract. */
export type ApiClient = JsonifiedClient<ContractRouterClient<typeof contract>>;

export type ApiClientOptions = {
  /** Origin of the API, without `/v1`. */
  apiUrl: string;
  /** Asked before every call; undefined sends no header. */
  getIdToken: () => Promise<string | undefined>;
};

/**
 * Makes the client of the API.
 *
 * A call that fails throws a `RequestError` whose message a person may read.
 */
export function createApiClient({ apiUrl, getIdToken }: ApiClientOptions): ApiClient {
  const link = new OpenAPILink(asRouter(contractRoutes), {
    url: `${apiUrl}/v1`,
    headers: async () => {
      const idToken = await getIdToken();
      return idToken === undefined ? {} : { authorization: `Bearer ${idToken}` };
    },
    fetch: fetchReadableProblem,
    interceptors: [onError(rethrowReadable)],
  });
  return createORPCClient<ApiClient>(link);
}

/** The link reads only `application/json`; a problem (RFC 9457) would reach the error rule as an unread file. */
async function fetchReadableProblem(request: Request, init: RequestInit): Promise<Response> {
  if (!request.headers.has("content-type")) {
    request.headers.set("content-type", "application/json");
  }
  const response = await fetch(request, init);
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
