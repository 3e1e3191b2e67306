/** What the address of `/login` asks for. */
export type SignInAddress =
  | { kind: "form" }
  /** A provider sent the person back. */
  | { kind: "callback" }
  /** A provider sent the person back without letting them in. */
  | { kind: "refused"; code: string }
  /** The link of a mail. */
  | { kind: "reset"; token: string }
  | { kind: "confirm"; token: string };

/** Reads the search part of the address. Parameters that are not known, or empty, mean nothing. */
export function parseSignInAddress(search: string): SignInAddress {
  const parameters = new URLSearchParams(search);
  const get = (name: string) => parameters.get(name)?.trim() ?? "";
  if (get("error") !== "") {
    return { kind: "refused", code: get("error") };
  }
  if (get("code") !== "" && get("state") !== "") {
    return { kind: "callback" };
  }
  if (get("reset") !== "") {
    return { kind: "reset", token: get("reset") };
  }
  return get("confirm") === "" ? { kind: "form" } : { kind: "confirm", token: get("confirm") };
}
