import { z } from "zod";
import { isLoopbackHost } from "#platform/outbound.ts";

/** What the console's address for Firebase's emulator may be: this machine, and nothing behind the port. */
const emulator = z
  .url({ protocol: /^http$/, error: "An address such as http://127.0.0.1:9099." })
  .max(100)
  .refine((value) => {
    if (!URL.canParse(value)) {
      // What is no address at all is said once.
      return true;
    }
    const url = new URL(value);
    return isLoopbackHost(url.hostname) && url.origin === value.replace(/\/$/, "");
  }, "An address of this machine without user, path or query, such as http://127.0.0.1:9099.")
  .transform((value) => new URL(value).origin);

/** A host of the policy of the console's pages: letters, digits, dots and dashes only, so that nothing else gets in. */
const authDomain = z
  .string()
  .max(253)
  .regex(
    /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/,
    "A host name such as my-project.firebaseapp.com.",
  );

/** The section `identity.firebase` of turnpike.yaml: sign-in with Firebase Authentication. */
export const firebaseConfig = z.strictObject({
  apiKey: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[\w-]+$/, "Letters, digits, dashes and underscores.")
    .describe("`apiKey` of the web app's configuration at Firebase. It is public."),
  authDomain: authDomain.describe(
    "`authDomain` of the web app, such as `my-project.firebaseapp.com`: where the window of Google begins and ends.",
  ),
  projectId: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
      "A project's id: 6 to 30 lower-case letters, digits and dashes.",
    )
    .describe("The project, whose ID tokens are trusted."),
  appId: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[\w:-]+$/, "Letters, digits, colons and dashes.")
    .optional()
    .describe("`appId` of the web app."),
  methods: z
    .array(z.enum(["password", "google"]))
    .min(1)
    .max(2)
    .refine((methods) => new Set(methods).size === methods.length, "Each method once.")
    .default(["google"])
    .describe(
      "What the console offers, and what must be switched on at Firebase: `google`, and `password`, which needs `builtin: false`, for there is one form for passwords.",
    ),
  flow: z
    .enum(["popup", "redirect"])
    .default("popup")
    .describe(
      "How people get to Google: in a window of its own, or in the page's. `redirect` needs an `authDomain` at the console's own site, see docs/sign-in.md.",
    ),
  emulator: emulator
    .optional()
    .describe(
      "Address of Firebase's emulator on this machine. Its tokens are not signed, so it works with `TURNPIKE_MODE=development` only, and only while this machine alone is served.",
    ),
});

/** What the variables and the file say that decides whether tokens without a signature may be accepted. */
export type EmulatorSurroundings = {
  mode: "development" | "production";
  /** `listen.host`. */
  host: string;
  /** The public address of the console; undefined: this machine and its port. */
  consoleUrl: string | undefined;
  trustedProxies: readonly string[];
};

/**
 * Says why the emulator must not be used here. Everyone who reaches the console could sign in as anyone, so only this machine may.
 *
 * @returns Undefined where it may be used.
 */
export function findEmulatorMistake(surroundings: EmulatorSurroundings): string | undefined {
  const { mode, host, consoleUrl, trustedProxies } = surroundings;
  if (mode !== "development") {
    return "Tokens of the emulator are not signed, so anyone could sign in as anyone else: it needs TURNPIKE_MODE=development.";
  }
  const isReachable =
    !isLoopbackHost(host) ||
    (consoleUrl !== undefined && !isLoopbackHost(new URL(consoleUrl).hostname)) ||
    trustedProxies.length > 0;
  return isReachable
    ? "Tokens of the emulator are not signed: it works only while listen.host and publicUrls.console are this machine, without trustedProxies."
    : undefined;
}
