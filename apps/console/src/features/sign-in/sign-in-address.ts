/** The action that the address of `/login` requests. */
export type SignInAddress =
  | { kind: "form" }
  /** A provider sent the person back. */
  | { kind: "callback" }
  /** A link of an organization's portal: its people sign in at its identity provider. */
  | { kind: "sso"; tenant: string; email: string }
  /** A provider sent the person back without letting them in. */
  | { kind: "refused"; code: string }
  /** A provider sent the person back after it was asked to sign them out. */
  | { kind: "signed_out"; state: string };

/** Parses the search part of the address. Unknown and empty parameters are ignored. */
export function parseSignInAddress(search: string): SignInAddress {
  const parameters = new URLSearchParams(search);
  const get = (name: string) => parameters.get(name)?.trim() ?? "";
  if (get("error") !== "") {
    return { kind: "refused", code: get("error") };
  }
  if (get("sso") !== "") {
    return { kind: "sso", tenant: get("sso"), email: "" };
  }
  const state = get("state");
  if (state === "") {
    return { kind: "form" };
  }
  return get("code") === "" ? { kind: "signed_out", state } : { kind: "callback" };
}
