import { turnpikeNext } from "@turnpike/sdk/next";
import { turnpike } from "../../../lib/turnpike.ts";

/** Pages of any origin may call, and read the answer. A refusal says so by itself. */
const ANY_ORIGIN = { "access-control-allow-origin": "*" };

const whoami = turnpikeNext(
  turnpike,
  (request: Request, { turnpike: caller }) =>
    Response.json(
      { caller, headers: Object.fromEntries(request.headers) },
      { headers: ANY_ORIGIN },
    ),
  { onError: (error) => console.error(error) },
);

export { whoami as GET, whoami as POST };

/** Browsers ask without a key. */
export function OPTIONS(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...ANY_ORIGIN,
      "access-control-allow-headers": "authorization, content-type, x-api-key",
    },
  });
}
