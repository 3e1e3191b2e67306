import type { IncomingMessage } from "node:http";
import { type CallOrigin, isForwardingHeader } from "../proxy/forward-headers.ts";
import type { ForwardingFacts } from "./forwarding-marker.ts";

/**
 * Makes a forwarded request what its client, or the proxy in front of the forwarding node, had sent: what is on the way between the cells
 * leaves no trace in it.
 *
 * @returns Where the call comes from.
 */
export function restoreRequest(req: IncomingMessage, facts: ForwardingFacts): CallOrigin {
  const { rawHeaders } = req;
  const restored: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    const lowerCase = name.toLowerCase();
    if (lowerCase !== "host" && lowerCase !== "via" && !isForwardingHeader(lowerCase)) {
      restored.push(name, rawHeaders[i + 1] ?? "");
    }
  }
  if (facts.host !== "") {
    restored.push("Host", facts.host);
  }
  for (const [name, value] of facts.kept) {
    restored.push(name, value);
  }
  req.rawHeaders = restored;
  if (facts.host === "") {
    delete req.headers.host;
  } else {
    req.headers.host = facts.host;
  }
  return {
    clientAddress: facts.client,
    peerAddress: facts.peer,
    isPeerTrusted: facts.isPeerTrusted,
  };
}
