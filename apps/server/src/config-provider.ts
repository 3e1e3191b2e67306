import { z } from "zod";
import { isLoopbackHost } from "#platform/outbound.ts";

/** What the console's request for a code says itself: an operator's parameter must not take its place. */
const OWN_PARAMETERS: readonly string[] = [
  "client_id",
  "code_challenge",
  "code_challenge_method",
  "id_token_hint",
  "login_hint",
  "nonce",
  "redirect_uri",
  "request",
  "request_uri",
  "response_mode",
  "response_type",
  "scope",
  "state",
];
const PARAMETERS_MAX = 10;

/** Part of the policy of the console's pages: nothing but the origin itself may get in. */
const origin = z
  .url({ protocol: /^https?$/, error: "An origin such as https://token.example.com." })
  .max(300)
  .refine((value) => {
    // What is no address at all is said once.
    if (!URL.canParse(value)) {
      return true;
    }
    const url = new URL(value);
    const isSafe = url.protocol === "https:" || isLoopbackHost(url.hostname);
    return isSafe && url.origin === value;
  }, "An https origin without a path, and without a slash at the end; http only on this machine.");

const claimValue = z.string().min(1).max(200).describe("A value, compared exactly.");

/** What an operator may choose about a provider of OpenID Connect, beside its address. */
export const providerChoices = {
  flow: z
    .enum(["redirect", "popup"])
    .default("redirect")
    .describe(
      "Whether people go to the provider in place of the console, or in a window of its own.",
    ),
  scopes: z
    .array(z.string().regex(/^[!#-[\]-~]{1,100}$/, "A scope has no spaces, quotes or backslashes."))
    .max(20)
    .refine((scopes) => scopes.includes("openid"), "`openid` must be one of them.")
    .optional()
    .describe(
      "What is asked for. Default: `openid profile email`, and `offline_access` where the provider lists it.",
    ),
  parameters: z
    .record(z.string().regex(/^[a-z][a-z0-9_]{0,49}$/), z.string().max(500))
    .refine(
      (given) => Object.keys(given).length <= PARAMETERS_MAX,
      `At most ${String(PARAMETERS_MAX)}.`,
    )
    .refine(
      (given) => Object.keys(given).every((name) => !OWN_PARAMETERS.includes(name)),
      `The console sets these itself: ${OWN_PARAMETERS.join(", ")}.`,
    )
    .optional()
    .describe(
      "Further parameters of the request for a code, such as `prompt` or `hd`. Everyone can read them.",
    ),
  origins: z
    .array(origin)
    .max(5)
    .default([])
    .describe("Origins of the provider's endpoints, where they differ from the issuer's."),
  secondFactorClaims: z
    .strictObject({
      amr: z.array(claimValue).max(20).default([]).describe("Methods, such as `mfa` or `otp`."),
      acr: z.array(claimValue).max(20).default([]).describe("Classes of sign-ins."),
    })
    .refine(({ amr, acr }) => amr.length + acr.length > 0, "At least one value.")
    .optional()
    .describe(
      "Values of `amr` or `acr` by which its ID tokens say that a second factor was used. Then whom `secondFactor` names must have one of them. Left out: they are not asked, and the provider counts for no account that needs a second factor here.",
    ),
  endsSession: z
    .boolean()
    .default(true)
    .describe(
      "Whether signing out of the console signs people out at the provider too, where it has an `end_session_endpoint`.",
    ),
};
