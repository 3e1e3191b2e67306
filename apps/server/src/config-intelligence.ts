import { z } from "zod";
import { isLoopbackHost } from "#platform/outbound.ts";

const MODEL_ADDRESS = "An address such as http://localhost:11434/v1.";

/** A language model. Its key comes from the environment. */
const model = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: MODEL_ADDRESS })
    .refine((text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      return url === undefined || url.username + url.password + url.search + url.hash === "";
    }, "Without user, password, query and fragment.")
    .describe(
      "Base address of an OpenAI-compatible endpoint, such as `https://api.example.com/v1`, or `http://localhost:11434/v1` for Ollama.",
    ),
  name: z.string().trim().min(1).max(200).describe("Name of the model at that endpoint."),
  enabled: z
    .boolean()
    .default(true)
    .describe("`false` switches it off. An operator also can, at once and without a restart."),
  tokensPerDay: z
    .number()
    .int()
    .min(1_000)
    .max(1_000_000_000)
    .default(200_000)
    .describe("The most tokens that one tenant's questions may take in a UTC day, in and out."),
  answerTokensMax: z
    .number()
    .int()
    .min(100)
    .max(100_000)
    .default(1_500)
    .describe("The most tokens that the model may write in one step."),
  timeoutSeconds: z
    .number()
    .int()
    .min(1)
    .max(600)
    .default(60)
    .describe("After this the answer is given up, and the built-in one stands."),
});

/** What of the intelligence an operator may set. */
export const intelligenceSection = z
  .strictObject({
    model: model
      .optional()
      .describe(
        "A language model that people may ask when the built-in answer is not enough. Left out: none, and nothing leaves the installation.",
      ),
  })
  .prefault({});

/** Where a key would go in the clear: by `http`, to another machine. */
export function sendsKeyInClear(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !isLoopbackHost(hostname);
}

/** The variables of the environment. */
export const modelVariables = {
  TURNPIKE_MODEL_KEY: z
    .string()
    .max(1_000)
    .regex(/^[\x21-\x7e]+$/, "Letters, digits and signs, without spaces.")
    .optional(),
};
