import * as oauth from "oauth4webapi";
import type { GuardedOutbound } from "./guarded-outbound.ts";

/** From the look-up of a name to the last byte of an answer. */
const TIMEOUT_MS = 10_000;
const BYTES_MAX = 256 * 1024;

/** The requests of the library of OAuth, through the guard for addresses outside. */
export function createOauthFetch(outbound: Pick<GuardedOutbound, "exchange">) {
  return async (
    url: string,
    init: oauth.CustomFetchOptions<string, unknown>,
  ): Promise<Response> => {
    const { body } = init;
    const answer = await outbound.exchange(url, {
      method: init.method === "POST" ? "POST" : "GET",
      headers: init.headers,
      body: body instanceof URLSearchParams ? body.toString() : undefined,
      timeoutMs: TIMEOUT_MS,
      bytesMax: BYTES_MAX,
    });
    // No answer with such a status may have a body.
    const isEmpty = answer.status === 204 || answer.status === 304;
    return new Response(isEmpty ? null : answer.text, {
      status: answer.status,
      headers: answer.headers,
    });
  };
}

/** How a client proves itself at a provider. @param secret - `undefined` for a public client. */
export function toClientAuth(
  server: oauth.AuthorizationServer,
  secret: string | undefined,
): oauth.ClientAuth {
  if (secret === undefined) {
    return oauth.None();
  }
  // Basic is the default of the specification when the provider says nothing.
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  return methods.includes("client_secret_basic")
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}
