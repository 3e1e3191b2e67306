import { AnsweredError } from "./answered-error.ts";
import { rethrowReadable } from "./error-message.ts";
import { type GetIdToken, sendSignedIn } from "./send-signed-in.ts";

export type JsonRequest = {
  method: "GET" | "POST";
  /** Absolute, or a path of this site. */
  url: string;
  /** Left out: no body. */
  body?: object;
  signal?: AbortSignal;
};

/**
 * Asks for JSON outside of the API's contract.
 *
 * @returns The parsed body; undefined when there is none.
 * @throws {RequestError} With a message for people, when the answer is no success or none arrives.
 */
export type JsonClient = (request: JsonRequest) => Promise<unknown>;

/** @param getIdToken - Asked before every request; undefined sends no header. */
export function createJsonClient(getIdToken: GetIdToken): JsonClient {
  return async ({ method, url, body, signal }) => {
    try {
      const response = await sendSignedIn(getIdToken, (idToken) =>
        fetch(url, {
          method,
          headers: {
            "content-type": "application/json",
            ...(idToken === undefined ? {} : { authorization: `Bearer ${idToken}` }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          ...(signal === undefined ? {} : { signal }),
        }),
      );
      const answer: unknown = await response.json().catch(() => undefined);
      if (!response.ok) {
        throw new AnsweredError(response, answer);
      }
      return answer;
    } catch (cause) {
      return rethrowReadable(cause);
    }
  };
}
