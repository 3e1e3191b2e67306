import type { Middleware } from "./open-language-model.ts";
import type { Spending } from "./spend-tokens.ts";

/** JSON has about this many characters to a token; names and numbers have fewer than prose. */
const CHARACTERS_PER_TOKEN = 3;

/** A status code says that nothing was read or written, so that nothing is counted. */
function wasRefused(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "statusCode" in error &&
    typeof error.statusCode === "number" &&
    error.statusCode >= 400
  );
}

/**
 * Reserves the tokens of each call to a model before it is made, and corrects them by what the endpoint reports. A call that is broken
 * off, or whose endpoint reports nothing, keeps its reservation.
 */
export function keepBudget(spending: Spending, answerTokensMax: number): Middleware {
  return {
    specificationVersion: "v4",
    wrapStream: async ({ doStream, params }) => {
      const { prompt, tools = [] } = params;
      const characters = JSON.stringify([prompt, tools]).length;
      const correct = await spending.reserve(
        Math.ceil(characters / CHARACTERS_PER_TOKEN) + answerTokensMax,
      );
      const answer = await Promise.resolve(doStream()).catch(async (error: unknown) => {
        if (wasRefused(error)) {
          await correct(0);
        }
        throw error;
      });
      const stream = answer.stream.pipeThrough(
        new TransformStream<
          typeof answer.stream extends ReadableStream<infer Part> ? Part : never,
          typeof answer.stream extends ReadableStream<infer Part> ? Part : never
        >({
          async transform(part, controller) {
            if (part.type === "finish") {
              const { inputTokens, outputTokens } = part.usage;
              const used = (inputTokens.total ?? 0) + (outputTokens.total ?? 0);
              if (used > 0) {
                await correct(used);
              }
            }
            controller.enqueue(part);
          },
        }),
      );
      return { ...answer, stream };
    },
    wrapGenerate: () => {
      throw new Error("Answers are streamed.");
    },
  };
}
