/** What the address of `/login` asks for. */
export type SignInAddress =
  | { kind: "form" }
  /** A provider sent the person back. */
  | { kind: "callback" }
  /** A provider sent the person back without letting them in. */
  | { kind: "refused"; code: string };

/** Reads the search part of the address. Parameters that are not known, or empty, mean nothing. */
export function parseSignInAddress(search: string): SignInAddress {
  const parameters = new URLSearchParams(search);
  const get = (name: string) => parameters.get(name)?.trim() ?? "";
  if (get("error") !== "") {
    return { kind: "refused", code: get("error") };
  }
  const isCallback = get("code") !== "" && get("state") !== "";
  return { kind: isCallback ? "callback" : "form" };
}
