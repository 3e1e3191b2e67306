/** True if this browser can have passkeys for this page. As good as the library's own test, which is loaded when one is used. */
export function hasPasskeys(): boolean {
  return "PublicKeyCredential" in globalThis && !/^[\d.]+$|:/.test(globalThis.location.hostname);
}
