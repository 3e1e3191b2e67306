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
  /** The credential of the next call; undefined sends none. */
  getCredential: () => string | undefined;
};

/**
 * Makes the client of the API.
 *
 * A call that fails throws a `RequestError` whose message a person may read.
 */
export function createApiClient({ apiUrl, getCredential }: ApiClientOptions): ApiClient {
  const link = new OpenAPILink(asRouter(contractRoutes), {
    url: `${apiUrl}/v1`,
    headers: () => {
      const credential = getCredential();
      return credential === undefined ? {} : { authorization: `Bearer ${credential}` };
    },
    interceptors: [onError(rethrowReadable)],
  });
  return createORPCClient<ApiClient>(link);
}

/** The JSON is the contract without its schemas, written by the build; a test holds it against the contract. */
function asRouter(routes: object): AnyContractRouter {
  return routes as AnyContractRouter;
}
