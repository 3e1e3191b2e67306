import { AnsweredError } from "./answered-error.ts";
import { rethrowReadable } from "./error-message.ts";
import { type GetIdToken, sendSignedIn } from "./send-signed-in.ts";

export type JsonLinesInput = {
  getIdToken: GetIdToken;
  /** Absolute. */
  url: string;
  signal: AbortSignal;
};

/**
 * Reads an answer that has one JSON document on each line, as they arrive.
 *
 * @throws {RequestError} With a message for people, when the answer is no success or breaks off.
 */
export async function* readJsonLines(input: JsonLinesInput): AsyncGenerator<unknown> {
  const { getIdToken, url, signal } = input;
  try {
    const response = await sendSignedIn(getIdToken, (idToken) =>
      fetch(url, {
        signal,
        headers: idToken === undefined ? {} : { authorization: `Bearer ${idToken}` },
      }),
    );
    if (!response.ok) {
      throw new AnsweredError(response, await response.json().catch(() => undefined));
    }
    yield* parseLines(response.body);
  } catch (cause) {
    rethrowReadable(cause);
  }
}

async function* parseLines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let rest = "";
  for (let chunk = await reader?.read(); chunk?.value !== undefined; chunk = await reader?.read()) {
    const lines = (rest + decoder.decode(chunk.value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line !== "").map((line): unknown => JSON.parse(line));
  }
  if (rest !== "") {
    yield JSON.parse(rest);
  }
}
