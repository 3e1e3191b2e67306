import type { ServerResponse } from "node:http";
import type { VerifyKeyRequest } from "@turnpike/contract/keys";
import { assertMay, type CallContext } from "@turnpike/domain/access/actor";
import { withHotBody } from "#http/hot-body.ts";
import { sendHotJson } from "#http/hot-json.ts";
import { assertJsonType } from "#http/json-body.ts";
import type { RawRoute } from "#http/raw-route.ts";
import { type RunOnceDeps, runOnce } from "#platform/run-once.ts";
import { createScopeQueryReader } from "./read-scope-query.ts";
import { readVerifyRequest } from "./read-verify-request.ts";
import { findRightsEnded, type VerifyKeyDeps, verifyKey } from "./verify-key.ts";

/** Room for a key, a cost, a scope query and a path, as long as headers may be, and some more. */
const VERIFY_BODY_BYTES_MAX = 20_480;
/** How the text of a verdict begins that lets a call pass; see `admissionText`. */
const VALID_HEAD = '{"valid":true,';
const REPLAYED = ["idempotency-replayed", "true"];

function sendVerdict(res: ServerResponse, { requestId }: CallContext, text: string): void {
  sendHotJson(res, { status: 200, requestId, text, isAscii: true });
}

/** The hot routes on the listener for people: plain node:http in front of the contract library, with its schemas. */
export function createVerifyRoutes(
  dependencies: Omit<VerifyKeyDeps, "readScopeQuery"> & RunOnceDeps,
): RawRoute[] {
  const deps = { ...dependencies, readScopeQuery: createScopeQueryReader() };

  async function verifyOnce(asked: {
    res: ServerResponse;
    call: CallContext;
    input: VerifyKeyRequest;
    idempotencyKey: string;
  }): Promise<void> {
    const { res, call, input } = asked;
    // A caller without the scope must not fill the table of idempotency keys either.
    assertMay(call.actor, "keys:verify");
    const once = { operation: "keys.verify", key: asked.idempotencyKey, request: input };
    const { status, body, isReplay } = await runOnce(deps, call, once, async () => ({
      status: 200,
      body: await verifyKey(deps, call, input),
    }));
    const { requestId } = call;
    if (isReplay && body.startsWith(VALID_HEAD)) {
      const ended = await findRightsEnded(deps, call, input);
      if (ended !== undefined) {
        sendVerdict(res, call, ended);
        return;
      }
    }
    sendHotJson(res, { status, requestId, text: body, ...(isReplay && { extra: REPLAYED }) });
  }

  return [
    {
      method: "POST",
      path: "/v1/keys/verify",
      isHot: true,
      // Not an async function: each awaited promise costs a call as much as the lookup of its key.
      handle: ({ req, res, context, fail }) => {
        const call = context.call();
        assertJsonType(req);
        const answer = (body: Buffer): Promise<void> | void => {
          const input = readVerifyRequest(body);
          const idempotencyKey = req.headers["idempotency-key"];
          if (idempotencyKey !== undefined) {
            return verifyOnce({ res, call, input, idempotencyKey: String(idempotencyKey) });
          }
          const verdict = verifyKey(deps, call, input);
          return typeof verdict === "string"
            ? sendVerdict(res, call, verdict)
            : verdict.then((text) => sendVerdict(res, call, text));
        };
        withHotBody(req, VERIFY_BODY_BYTES_MAX, answer, fail);
      },
    },
  ];
}
