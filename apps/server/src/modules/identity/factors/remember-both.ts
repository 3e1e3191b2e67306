import { type KnownBrowsers, toFactorName } from "../attempts/known-browsers.ts";
import type { PeopleCall } from "../provider/interactions.routes.ts";

/** Lets the browser prove from now on that its user passed both the password and the second factor of the account. */
export function rememberBoth(
  knownBrowsers: KnownBrowsers,
  { req, res }: Pick<PeopleCall, "req" | "res">,
  email: string,
): void {
  const first = knownBrowsers.remember(req.headers.cookie, email);
  const [pair] = first.split("; ");
  res.appendHeader("set-cookie", knownBrowsers.remember(pair, toFactorName(email)));
}
