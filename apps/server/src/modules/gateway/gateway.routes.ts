import { verifyKeyRequest } from "@turnpike/contract/keys";
import { assertMay } from "@turnpike/domain/access/actor";
import { type RawRoute, readJson, sendHotJson } from "#http/raw-route.ts";
import { type RunOnceDeps, runOnce } from "#platform/run-once.ts";
import { createScopeQueryReader } from "./read-scope-query.ts";
import { type VerifyKeyDeps, verifyKey } from "./verify-key.ts";

/** What a caller can put into headers in the place of a key, a cost, a scope query, a path and some room. */
const VERIFY_BODY_BYTES_MAX = 20_480;
const REPLAYED = ["idempotency-replayed", "true"];

/** The hot routes on the listener for people: plain node:http in front of the contract library, with its schemas. */
export function createGatewayRawRoutes(
  parts: Omit<VerifyKeyDeps, "readScopeQuery"> & RunOnceDeps,
): RawRoute[] {
  const deps = { ...parts, readScopeQuery: createScopeQueryReader() };
  return [
    {
      method: "POST",
      path: "/v1/keys/verify",
      isHot: true,
      handle: async ({ req, res, context }) => {
        const call = context.call();
        const { requestId } = call;
        const input = await readJson(req, verifyKeyRequest, VERIFY_BODY_BYTES_MAX);
        const key = req.headers["idempotency-key"];
        if (key === undefined) {
          const verdict = verifyKey(deps, call, input);
          const text = typeof verdict === "string" ? verdict : await verdict;
          sendHotJson(res, { status: 200, requestId, text });
          return;
        }
        // Who may not ask must not fill a table either.
        assertMay(call.actor, "keys:verify");
        const once = { operation: "keys.verify", key: String(key), request: input };
        const answer = await runOnce(deps, call, once, async () => ({
          status: 200,
          body: await verifyKey(deps, call, input),
        }));
        const { status, body: text } = answer;
        sendHotJson(res, { status, requestId, text, ...(answer.isReplay && { extra: REPLAYED }) });
      },
    },
  ];
}
