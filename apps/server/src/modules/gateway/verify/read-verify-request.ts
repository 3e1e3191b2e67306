import { type VerifyKeyRequest, verifyKeyRequest } from "@turnpike/contract/keys";
import { parseBySchema } from "#http/json-body.ts";
import { parseJson } from "#platform/parse-json.ts";

/** What the schema makes of a request with an empty key and nothing else. */
const { key: _, ...DEFAULTS } = verifyKeyRequest.parse({ key: "" });

/** The key of a request that has nothing else. */
function findKeyAlone(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return;
  }
  let found: unknown;
  for (const name in value) {
    if (name !== "key") {
      return;
    }
    found = (value as { key: unknown }).key;
  }
  return typeof found === "string" ? found : undefined;
}

/**
 * Reads the body of `POST /v1/keys/verify`. Most programs send the key and nothing else, and walking through the schema of all
 * that may come takes as long as counting the call: of such a request it is known what the schema makes of it.
 *
 * @throws {AppError} `INVALID_REQUEST` (not JSON, or not of the schema).
 */
export function readVerifyRequest(body: Buffer): VerifyKeyRequest {
  const value = parseJson(body);
  const key = findKeyAlone(value);
  return key === undefined ? parseBySchema(value, verifyKeyRequest) : { key, ...DEFAULTS };
}
