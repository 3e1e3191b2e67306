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
    return new Request(request, { headers });
  }
}

export function toWebResponse(reply: Reply): Response {
  return new Response(reply.body, { status: reply.status, headers: reply.headers });
}
