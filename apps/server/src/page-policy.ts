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
  const own = [
    new URL(consoleUrl).origin,
    ...providers.map(({ issuer }) => new URL(issuer).origin),
  ];
  const rights = firebase === undefined ? { origins: [] } : toFirebaseRights(firebase);
  return {
    content: contentSecurityPolicy({ ...rights, origins: [...own, ...rights.origins] }),
    opensWindows: firebase?.methods.includes("google") === true && firebase.flow === "popup",
  };
}
