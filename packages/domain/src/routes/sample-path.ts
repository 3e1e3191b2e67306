import { followLink, isRecord } from "./json.ts";
import { listBasePaths } from "./openapi-paths.ts";

/** A path and query that can be put into any sample of code as it is, and cannot name another host. */
export const SAMPLE_PATH_PATTERN = /^\/(?!\/)[A-Za-z0-9\-._~&()*+,;=:@%/?]{0,500}$/;

/** A value that the document gives as an example; undefined when it gives none that fits into an address. */
function exampleOf(parameter: Readonly<Record<string, unknown>>): string | undefined {
  const schema = isRecord(parameter["schema"]) ? parameter["schema"] : {};
  const listed = isRecord(parameter["examples"]) ? Object.values(parameter["examples"]) : [];
  const enumerated = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  const candidates = [
    parameter["example"],
    ...listed.map((each) => (isRecord(each) ? each["value"] : undefined)),
    schema["example"],
    schema["default"],
    ...enumerated,
  ];
  const found = candidates.find((each) => ["string", "number", "boolean"].includes(typeof each));
  return found === undefined ? undefined : encodeURIComponent(String(found));
}

type Parameter = { name: string; place: unknown; isRequired: boolean; example: string | undefined };

function listParameters(
  document: Readonly<Record<string, unknown>>,
  ...lists: unknown[]
): Parameter[] {
  return lists
    .flatMap((list: unknown) => (Array.isArray(list) ? (list as unknown[]) : []))
    .map((each) => followLink(document, each))
    .filter(isRecord)
    .map((parameter) => ({
      name: String(parameter["name"]),
      place: parameter["in"],
      isRequired: parameter["required"] === true,
      example: exampleOf(parameter),
    }));
}

/** The path with its examples filled in; undefined when something that the call needs has none. */
function fill(path: string, parameters: readonly Parameter[]): string | undefined {
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const found = parameters.find((each) => each.place === "path" && each.name === name);
    return found?.example ?? whole;
  });
  const needed = parameters.filter(({ isRequired, place }) => isRequired && place !== "path");
  const query = needed.map(({ place, name, example }) =>
    place === "query" && example !== undefined
      ? `${encodeURIComponent(name)}=${example}`
      : undefined,
  );
  if (filled.includes("{") || query.includes(undefined)) {
    return;
  }
  return query.length === 0 ? filled : `${filled}?${query.join("&")}`;
}

/**
 * Finds a call that can be shown to people as the first one: a GET whose parameters the document gives examples for, one without
 * parameters if there is one.
 *
 * @param document - An OpenAPI document, as it was parsed.
 * @returns Path and query as the API knows them, the path of its first server in front; undefined when no GET can be called by what the document says.
 */
export function findSamplePath(document: unknown): string | undefined {
  if (!isRecord(document) || !isRecord(document["paths"])) {
    return;
  }
  const found = Object.entries(document["paths"]).flatMap(([path, item]) => {
    const get = isRecord(item) ? item["get"] : undefined;
    if (!path.startsWith("/") || !isRecord(item) || !isRecord(get)) {
      return [];
    }
    const parameters = listParameters(document, get["parameters"], item["parameters"]);
    const filled = fill(path, parameters);
    const [base = ""] = listBasePaths(item["servers"] ?? document["servers"]);
    const whole = base + filled;
    return filled === undefined || !SAMPLE_PATH_PATTERN.test(whole) ? [] : [whole];
  });
  const says = (path: string) => path !== "/" && !/^\/[^?]*(health|live|ready|ping)/.test(path);
  return found.find((path) => says(path) && !path.includes("?")) ?? found.find(says) ?? found[0];
}
