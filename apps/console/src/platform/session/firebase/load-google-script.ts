import { t } from "@lingui/core/macro";
import { FirebaseFailure } from "./firebase-failure.ts";

/** The loader by which Firebase's client talks with the frame of its project. The policy of the page allows its origin. */
const ADDRESS = "https://apis.google.com/js/api.js";
/** Named in the policy of the page, for this one address. */
const POLICY = "google-script";

type ScriptPolicy = { createScriptURL(address: string): string };
type Factory = {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): ScriptPolicy;
};

let loading: Promise<void> | undefined;

/**
 * Loads Google's script before Firebase's client does: pages take addresses of scripts only by a named policy, and the client has
 * none. Once the script is there, the client uses it.
 *
 * @throws {Error} With the code `auth/network-request-failed` when it does not come; the next call tries again.
 */
export function loadGoogleScript(page: Window): Promise<void> {
  loading ??= append(page).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

function append(page: Window): Promise<void> {
  const script = page.document.createElement("script");
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  script.onload = () => resolve();
  script.onerror = () => {
    script.remove();
    reject(
      new FirebaseFailure("auth/network-request-failed", t`The script of Google did not come.`),
    );
  };
  script.src = trust(page);
  page.document.head.append(script);
  return promise;
}

let policy: ScriptPolicy | undefined;

function trust(page: Window): string {
  const factory: unknown = Reflect.get(page, "trustedTypes");
  policy ??= isFactory(factory)
    ? factory.createPolicy(POLICY, { createScriptURL: () => ADDRESS })
    : undefined;
  // A browser that knows trusted types gets one of them, which only looks like a text to TypeScript.
  return policy?.createScriptURL(ADDRESS) ?? ADDRESS;
}

function isFactory(value: unknown): value is Factory {
  return typeof value === "object" && value !== null && "createPolicy" in value;
}
