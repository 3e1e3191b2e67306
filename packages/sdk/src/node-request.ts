import { isForgedIdentity } from "./find-key.ts";
import type { Guarded, GuardedRequest } from "./guard-call.ts";

/** What this needs of Node's `IncomingMessage`, so that users need not install Node's types. */
export type NodeRequest = {
  method?: string | undefined;
  url?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  /** Node's requests of HTTP/2 and of some platforms have none. */
  headersDistinct?: Record<string, string[] | undefined>;
  rawHeaders: string[];
};

/** What this needs of Node's `ServerResponse`. */
export type NodeResponse = {
  statusCode: number;
  /** True once something else has answered, such as a timeout of the program. */
  headersSent?: boolean;
  hasHeader(name: string): boolean;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
};

/** Removes headers from a Node request, from each of its lists; others stay as they are. */
export function removeHeaders(request: NodeRequest, isRemoved: (name: string) => boolean): void {
  // Node makes both from the raw list when they are first read, by the length that it had at first: so they are read before it
  // changes.
  for (const list of [request.headers, request.headersDistinct ?? {}]) {
    for (const name of Object.keys(list)) {
      if (isRemoved(name)) {
        delete list[name];
      }
    }
  }
  const { rawHeaders } = request;
  const kept = rawHeaders.filter(
    (_, at) => !isRemoved((rawHeaders[at - (at % 2)] ?? "").toLowerCase()),
  );
  rawHeaders.splice(0, rawHeaders.length, ...kept);
}

/** Removes what a handler must not see: the key, and identities that the caller made up. */
export function cleanNodeRequest(request: NodeRequest, guarded: Guarded): void {
  const removed = guarded.kind === "pass" ? guarded.removed : [];
  removeHeaders(request, (name) => removed.includes(name) || isForgedIdentity(name));
}

export function readNodeRequest<Request extends NodeRequest>(
  request: Request,
  address: string | undefined,
): GuardedRequest<Request> {
  return {
    request,
    method: request.method ?? "GET",
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    address,
    target: request.url ?? "",
  };
}
