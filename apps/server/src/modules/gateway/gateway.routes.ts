import { verifyKeyRequest } from "@turnpike/contract/keys";
import { assertMay } from "@turnpike/domain/access/actor";
import { type RawRoute, readJson, sendJson, sendJsonText } from "#http/raw-route.ts";
import { type RunOnceDeps, runOnce } from "#platform/run-once.ts";
import { createScopeQueryReader } from "./read-scope-query.ts";
import { type VerifyKeyDeps, verifyKey } from "./verify-key.ts";

/** A key, a cost, a scope query, a path and some room. */
const VERIFY_BODY_BYTES_MAX = 4_096;

/** The hot routes on the listener for people: plain node:http in front of the contract library, with its schemas. */
export function createGatewayRawRoutes(
  parts: Omit<VerifyKeyDeps, "readScopeQuery"> & RunOnceDeps,
): RawRoute[] {
  const deps = { ...parts, readScopeQuery: createScopeQueryReader() };
  return [
    {
      method: "POST",
      path: "/v1/keys/verify",
      handle: async ({ req, res, context }) => {
        const call = context.call();
        const input = await readJson(req, verifyKeyRequest, VERIFY_BODY_BYTES_MAX);
        const key = req.headers["idempotency-key"];
        if (key === undefined) {
          sendJson(res, 200, await verifyKey(deps, call, input));
          return;
        }
        // Who may not ask must not fill a table either.
        assertMay(call.actor, "keys:verify");
        const once = { operation: "keys.verify", key: String(key), request: input };
        const answer = await runOnce(deps, call, once, async () => ({
          status: 200,
          body: JSON.stringify(await verifyKey(deps, call, input)),
        }));
        if (answer.isReplay) {
          res.setHeader("idempotency-replayed", "true");
        }
        sendJsonText(res, answer.status, answer.body);
      },
    },
  ];
}
