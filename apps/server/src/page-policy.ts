import {
  contentSecurityPolicy,
  type PagePolicy,
  type PageRights,
} from "#http/pages/console-files.ts";
import type { Config } from "./config.ts";

type Firebase = NonNullable<Config["identity"]["firebase"]>;

/** Firebase's client asks these two for accounts and for tokens. */
const FIREBASE_API = "https://identitytoolkit.googleapis.com";
const FIREBASE_TOKENS = "https://securetoken.googleapis.com";
/** Its window of Google answers through a script of Google and an invisible frame of the project. */
const GOOGLE_SCRIPTS = "https://apis.google.com";
/** The console's own, for the address of that script; then those that the script makes. */
const GOOGLE_TRUSTED_TYPES = ["google-script", "gapi#gapi", "goog#html"];

function toFirebaseRights({ emulator, authDomain, methods }: Firebase): PageRights {
  const origins = emulator === undefined ? [FIREBASE_API, FIREBASE_TOKENS] : [emulator];
  return methods.includes("google")
    ? {
        origins,
        scripts: [GOOGLE_SCRIPTS],
        frames: [emulator ?? `https://${authDomain}`],
        trustedTypes: GOOGLE_TRUSTED_TYPES,
      }
    : { origins };
}

/** The policy of the console's pages: what the configured ways to sign in need, and no more. */
export function toPagePolicy(
  { providers, firebase }: Pick<Config["identity"], "providers" | "firebase">,
  consoleUrl: string,
): PagePolicy {
  const own = new URL(consoleUrl).origin;
  const others = providers.flatMap(({ issuer, origins }) => [new URL(issuer).origin, ...origins]);
  const rights: PageRights = firebase === undefined ? { origins: [] } : toFirebaseRights(firebase);
  const { frames = [] } = rights;
  // A provider without refresh tokens is asked in an invisible frame, which then comes back to us.
  const ownFrames = others.length === 0 ? [] : ["'self'", ...new Set(others)];
  const hasGoogleWindow =
    firebase?.methods.includes("google") === true && firebase.flow === "popup";
  return {
    content: contentSecurityPolicy({
      ...rights,
      origins: [own, ...others, ...rights.origins],
      ...(ownFrames.length + frames.length === 0 ? {} : { frames: [...ownFrames, ...frames] }),
    }),
    // Also where people go to a provider in place of the page: a session that ran out is renewed in a window.
    opensWindows: hasGoogleWindow || providers.length > 0,
  };
}
