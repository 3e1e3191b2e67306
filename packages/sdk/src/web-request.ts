import { isForgedIdentity } from "./find-key.ts";
import type { Guarded, GuardedRequest } from "./guard-call.ts";
import type { Reply } from "./to-denial-reply.ts";

export function readWebRequest<R>(
  request: Request,
  owner: R,
  address: string | undefined,
): GuardedRequest<R> {
  return {
    request: owner,
    method: request.method,
    header: (name) => request.headers.get(name) ?? undefined,
    address,
    target: new URL(request.url).pathname,
  };
}

/**
 * Takes out of a request what a handler must not see: the key, and identities that the caller made up.
 *
 * @returns The same request where its headers may be changed, else a copy with the same body.
 */
export function cleanWebRequest<R extends Request>(request: R, guarded: Guarded): Request {
  const removed = guarded.kind === "pass" ? guarded.removed : [];
  const names = [...request.headers.keys()].filter(
    (name) => removed.includes(name) || isForgedIdentity(name),
  );
  if (names.length === 0) {
    return request;
  }
  try {
    for (const name of names) {
      request.headers.delete(name);
    }
    return request;
  } catch {
    // On some platforms the headers of what came in are fixed.
    const headers = new Headers(request.headers);
    for (const name of names) {
      headers.delete(name);
    }
    // A body that was read before can be neither read again nor copied.
    const body = request.bodyUsed ? { body: new Uint8Array() } : {};
    return new Request(request, { headers, ...body });
  }
}

export function toWebResponse(reply: Reply): Response {
  return new Response(reply.body, { status: reply.status, headers: reply.headers });
}

/**
 * Puts headers on an answer, but those that it has already: a handler's own go first, as do those of a guard behind this one.
 *
 * @returns A copy, for one answer may be given to many callers, and that of a `fetch` cannot be changed. The same where there is
 *   nothing to put, and for what cannot be copied: an upgrade to WebSocket, and `Response.error()`.
 */
export function withHeaders(response: Response, headers: Record<string, string>): Response {
  const missing = Object.entries(headers).filter(([name]) => !response.headers.has(name));
  if (missing.length === 0 || response.status < 200 || response.status > 599) {
    return response;
  }
  const copy = new Response(response.body, response);
  for (const [name, value] of missing) {
    copy.headers.set(name, value);
  }
  return copy;
}
