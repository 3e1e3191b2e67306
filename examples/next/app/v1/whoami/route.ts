import { turnpikeNext } from "@turnpike/sdk/next";
import { turnpike } from "../../../lib/turnpike.ts";

const whoami = turnpikeNext(
  turnpike,
  (request: Request, { turnpike: caller }) =>
    Response.json({ caller, headers: Object.fromEntries(request.headers) }),
  { onError: (error) => console.error(error) },
);

export { whoami as GET, whoami as POST };

/** Browsers ask without a key. */
export function OPTIONS(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "authorization, x-api-key",
    },
  });
}
