import type { Fragment, Tx } from "@turnpike/db/client";
import { type Filter, toAttributeName } from "./protocol/parse-filter.ts";
import { ScimError } from "./protocol/scim-error.ts";

/** An attribute that a filter may name, as SQL. Texts are compared without regard to case, unless they are exact. */
export type FilterColumn = {
  sql: Fragment;
  type: "text" | "exact" | "boolean" | "instant";
};

export type FilterColumns = {
  /** By their names in lower case. */
  attributes: ReadonlyMap<string, FilterColumn>;
  /** What a condition on the values of an attribute means, such as `members[value eq "…"]`. */
  within?(attribute: string, condition: Filter): Fragment | undefined;
};

type Compare = Extract<Filter, { compValue: unknown }>;

function invalidFilter(message: string): ScimError {
  return new ScimError(400, message, { scimType: "invalidFilter" });
}

function readInstant(value: unknown): Date {
  const at = typeof value === "string" ? new Date(value) : undefined;
  if (at === undefined || Number.isNaN(at.getTime())) {
    throw invalidFilter("A time is compared with a time.");
  }
  return at;
}

function compareInstants(tx: Tx, column: Fragment, { op, compValue }: Compare): Fragment {
  const at = readInstant(compValue);
  switch (op) {
    case "eq":
      return tx`${column} = ${at}`;
    case "ne":
      return tx`${column} <> ${at}`;
    case "gt":
      return tx`${column} > ${at}`;
    case "ge":
      return tx`${column} >= ${at}`;
    case "lt":
      return tx`${column} < ${at}`;
    case "le":
      return tx`${column} <= ${at}`;
    default:
      throw invalidFilter("A time has no parts to look for.");
  }
}

function compareTexts(tx: Tx, { sql, type }: FilterColumn, { op, compValue }: Compare): Fragment {
  if (compValue === null && (op === "eq" || op === "ne")) {
    return op === "eq" ? tx`${sql} is null` : tx`${sql} is not null`;
  }
  if (typeof compValue !== "string") {
    throw invalidFilter("A text is compared with a text.");
  }
  const [left, right] =
    type === "exact" ? [sql, tx`${compValue}::text`] : [tx`lower(${sql})`, tx`lower(${compValue})`];
  switch (op) {
    case "eq":
      return tx`${left} = ${right}`;
    case "ne":
      return tx`${left} is distinct from ${right}`;
    case "co":
      return tx`strpos(${left}, ${right}) > 0`;
    case "sw":
      return tx`starts_with(${left}, ${right})`;
    case "ew":
      return tx`right(${left}, length(${right})) = ${right}`;
    case "gt":
      return tx`${left} > ${right}`;
    case "ge":
      return tx`${left} >= ${right}`;
    case "lt":
      return tx`${left} < ${right}`;
    default:
      return tx`${left} <= ${right}`;
  }
}

function compareBooleans(tx: Tx, column: Fragment, { op, compValue }: Compare): Fragment {
  const text = String(compValue).toLowerCase();
  if ((op !== "eq" && op !== "ne") || (text !== "true" && text !== "false")) {
    throw invalidFilter("True or false is compared by eq or ne.");
  }
  return (text === "true") === (op === "eq") ? column : tx`not ${column}`;
}

function join(tx: Tx, op: "and" | "or", conditions: readonly Fragment[]): Fragment {
  return conditions.reduce((left, right) =>
    op === "and" ? tx`(${left} and ${right})` : tx`(${left} or ${right})`,
  );
}

/**
 * A filter as a condition of a query; values stay parameters.
 *
 * @throws {ScimError} `invalidFilter` for an attribute that is not kept, or a comparison that its type does not have.
 */
export function toCondition(tx: Tx, filter: Filter, columns: FilterColumns): Fragment {
  switch (filter.op) {
    case "and":
    case "or":
      return join(
        tx,
        filter.op,
        filter.filters.map((one) => toCondition(tx, one, columns)),
      );
    case "not":
      // Of an attribute without a value, nothing is true: the opposite is.
      return tx`(${toCondition(tx, filter.filter, columns)}) is not true`;
    case "[]": {
      const within = columns.within?.(toAttributeName(filter.attrPath), filter.valFilter);
      if (within === undefined) {
        throw invalidFilter("This attribute has no values to choose from.");
      }
      return within;
    }
    default: {
      const name = toAttributeName(filter.attrPath);
      const column = columns.attributes.get(name);
      if (column === undefined) {
        // `members eq "…"` and `members.value eq "…"` mean `members[value eq "…"]`.
        const ofMany = name.replace(/\.value$/, "");
        const within = columns.within?.(ofMany, { ...filter, attrPath: "value" });
        if (within === undefined) {
          throw invalidFilter("The filter names an attribute that cannot be looked for.");
        }
        return within;
      }
      if (filter.op === "pr") {
        return tx`${column.sql} is not null`;
      }
      switch (column.type) {
        case "instant":
          return compareInstants(tx, column.sql, filter);
        case "boolean":
          return compareBooleans(tx, column.sql, filter);
        default:
          return compareTexts(tx, column, filter);
      }
    }
  }
}
