import { type Filter, parseFilter } from "./parse-filter.ts";
import { attributeOf, isObject } from "./read-attributes.ts";
import { ScimError } from "./scim-error.ts";

export type PatchOperation = {
  op: "add" | "replace" | "remove";
  /** Lower case, such as `name.givenname`. */
  attribute: string;
  /** Of the values of an attribute that has many, such as `type eq "work"`. */
  filter: Filter | undefined;
  value: unknown;
};

/** A directory sends a change of a group in portions; this is above the largest that are known. */
const OPERATIONS_MAX = 1_000;
const PATH_LENGTH_MAX = 1_000;
const PATH =
  /^(?<schema>urn:[\w.:-]+:)?(?<attribute>[a-z$_][\w$-]*)(?:\[(?<filter>.*)\])?(?:\.(?<part>[a-z$_][\w$-]*))?$/i;
const CORE_SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):$/i;

/** An attribute of an extension: nothing is kept of it. */
const EXTENSION = "extension";

function toOperation(op: PatchOperation["op"], path: string, value: unknown): PatchOperation {
  const groups = path.length <= PATH_LENGTH_MAX ? PATH.exec(path)?.groups : undefined;
  const attribute = groups?.["attribute"];
  if (groups === undefined || attribute === undefined) {
    throw new ScimError(400, "A path cannot be read.", { scimType: "invalidPath" });
  }
  const { schema, filter, part } = groups;
  return {
    op,
    attribute:
      schema !== undefined && !CORE_SCHEMA.test(schema)
        ? EXTENSION
        : [attribute, part]
            .filter((one) => one !== undefined)
            .join(".")
            .toLowerCase(),
    filter: filter === undefined ? undefined : parseFilter(filter),
    value,
  };
}

/** Without a path, the value holds the attributes; Microsoft Entra ID writes some of them as paths. */
function spread(op: PatchOperation["op"], value: unknown): PatchOperation[] {
  if (op === "remove" || !isObject(value)) {
    throw new ScimError(400, "An operation has no path.", { scimType: "noTarget" });
  }
  return Object.entries(value).flatMap(([name, one]) =>
    name.toLowerCase() === "name" && isObject(one)
      ? Object.entries(one).map(([part, text]) => ({
          op,
          attribute: `name.${part.toLowerCase()}`,
          filter: undefined,
          value: text,
        }))
      : // The names of extensions, `schemas` and `id` are no attributes that change.
        /^(?:urn:.*:(?:[a-z]+:)?2\.0:(?:user|group)|schemas|id|meta)$/i.test(name)
        ? []
        : [toOperation(op, name, one)],
  );
}

/** The operations of a `PATCH` (RFC 7644, section 3.5.2), one for each attribute. @throws {ScimError} */
export function parsePatch(body: unknown): PatchOperation[] {
  const operations = isObject(body) ? attributeOf(body, "Operations") : undefined;
  if (!Array.isArray(operations) || operations.length === 0) {
    throw new ScimError(400, "Operations are missing.", { scimType: "invalidSyntax" });
  }
  if (operations.length > OPERATIONS_MAX) {
    throw new ScimError(400, `At most ${String(OPERATIONS_MAX)} operations at once.`, {
      scimType: "tooMany",
    });
  }
  return operations.flatMap((one: unknown) => {
    const op = isObject(one) ? String(attributeOf(one, "op")).toLowerCase() : "";
    if (!isObject(one) || (op !== "add" && op !== "replace" && op !== "remove")) {
      throw new ScimError(400, "An operation is none of add, replace and remove.", {
        scimType: "invalidSyntax",
      });
    }
    const path = attributeOf(one, "path");
    const value = attributeOf(one, "value");
    return typeof path === "string" && path !== ""
      ? [toOperation(op, path, value)]
      : spread(op, value);
  });
}
