import { UsageError } from "../usage-error.ts";

const EXAMPLE = "write it like http://localhost:8080";

/**
 * Reads the address of an API as a person types it: `http://` may be left out.
 *
 * @throws {UsageError} with what is wrong.
 */
export function parseUpstreamAddress(text: string): string {
  const scheme = /^(?<name>[a-z][a-z0-9+.-]*):\/\//i.exec(text)?.groups?.["name"]?.toLowerCase();
  if (scheme !== undefined && scheme !== "http" && scheme !== "https") {
    throw new UsageError(`"${text}" is no address of an HTTP API: ${EXAMPLE}`);
  }
  const url = URL.parse(scheme === undefined ? `http://${text}` : text);
  if (url === null || /\s/.test(text)) {
    throw new UsageError(`"${text}" is no address: ${EXAMPLE}`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new UsageError("the address of an API has no user, query or fragment");
  }
  return url.href.replace(/\/$/, "");
}

const OPTIONS = new Set(["--openapi", "--port", "--gateway-port", "--data"]);

/**
 * Lets `turnpike http://localhost:8080` mean `turnpike start http://localhost:8080`: no command has a colon, a slash or a dot
 * in its name.
 *
 * @param args - The command line behind the name of the program.
 */
export function expandStart(args: readonly string[]): readonly string[] {
  const [first = ""] = args;
  const isAddress = !first.startsWith("-") && /[:/.]/.test(first);
  const isOption = OPTIONS.has(first.replace(/=.*$/s, ""));
  return isAddress || isOption ? ["start", ...args] : args;
}
