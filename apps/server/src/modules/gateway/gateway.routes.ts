import { verifyKeyRequest } from "@turnpike/contract/keys";
import { type RawRoute, readJson, sendJson } from "#http/raw-route.ts";
import { createScopeQueryReader } from "./read-scope-query.ts";
import { type VerifyKeyDeps, verifyKey } from "./verify-key.ts";

/** A key, a cost and some room. */
const VERIFY_BODY_BYTES_MAX = 4_096;

/** The hot routes on the listener for people: plain node:http in front of the contract library, with its schemas. */
export function createGatewayRawRoutes(parts: Omit<VerifyKeyDeps, "readScopeQuery">): RawRoute[] {
  const deps: VerifyKeyDeps = { ...parts, readScopeQuery: createScopeQueryReader() };
  return [
    {
      method: "POST",
      path: "/v1/keys/verify",
      handle: async ({ req, res, context }) => {
        const call = context.call();
        const input = await readJson(req, verifyKeyRequest, VERIFY_BODY_BYTES_MAX);
        sendJson(res, 200, await verifyKey(deps, call, input));
      },
    },
  ];
}
