/** The part of a JSON schema that tables are made of. */
export type ConfigurationSchema = {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly ConfigurationSchema[];
  properties?: Readonly<Record<string, ConfigurationSchema>>;
  required?: readonly string[];
  items?: ConfigurationSchema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
};

type Row = { path: string; schema: ConfigurationSchema; isRequired: boolean };

function quote(value: unknown): string {
  return `\`${typeof value === "string" && value !== "" ? value : JSON.stringify(value)}\``;
}

/** 1048576 as 1,048,576. */
function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

/** The largest exact number bounds nothing that anybody would write. */
function isBound(value: number | undefined): value is number {
  return value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
}

function describeRange(low: number | undefined, high: number | undefined, unit: string): string[] {
  const words = unit === "" ? "" : ` ${unit}`;
  if (isBound(low) && isBound(high)) {
    return [`${grouped(low)} to ${grouped(high)}${words}`];
  }
  if (isBound(high)) {
    return [`at most ${grouped(high)}${words}`];
  }
  return isBound(low) && low > 0 ? [`at least ${grouped(low)}${words}`] : [];
}

function describeType(schema: ConfigurationSchema): string {
  if (schema.enum !== undefined) {
    return schema.enum.map(quote).join(", ");
  }
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map(describeType).join(" or ");
  }
  if (schema.const !== undefined) {
    return quote(schema.const);
  }
  const kinds: Record<string, string> = {
    string: "text",
    integer: "whole number",
    number: "number",
    boolean: "`true` or `false`",
    object: "section",
    array: schema.items?.properties === undefined ? "list of texts" : "list",
  };
  const bounds = [
    ...describeRange(schema.minimum, schema.maximum, ""),
    ...describeRange(schema.minLength, schema.maxLength, "characters"),
    ...describeRange(schema.minItems, schema.maxItems, "entries"),
  ];
  return [kinds[schema.type ?? ""] ?? "any value", ...bounds].join(", ");
}

function describeDefault({ schema, isRequired }: Row): string {
  if (isRequired) {
    return "required";
  }
  if (Array.isArray(schema.default) && schema.default.length === 0) {
    return "none";
  }
  return schema.default === undefined ? "" : quote(schema.default);
}

/** Every value below a schema, by its path; lists have `[]` behind their name. Objects themselves are only a way. */
function listRows(path: string, schema: ConfigurationSchema, isRequired: boolean): Row[] {
  const inner = schema.type === "array" ? schema.items : schema;
  const below = Object.entries(inner?.properties ?? {}).flatMap(([name, property]) =>
    listRows(
      `${path}${schema.type === "array" ? "[]" : ""}${path === "" ? "" : "."}${name}`,
      property,
      inner?.required?.includes(name) === true && property.default === undefined,
    ),
  );
  const isOnlyAWay = inner?.properties !== undefined && schema.description === undefined;
  return isOnlyAWay ? below : [{ path, schema, isRequired }, ...below];
}

/**
 * Renders the values of a configuration file, one table for each section.
 *
 * @throws {Error} Naming the values that have no description.
 */
export function renderConfigurationTables(schema: ConfigurationSchema): string {
  const sections = Object.entries(schema.properties ?? {});
  const tables = sections.map(([name, section]) => {
    const rows = listRows(name, section, false);
    const silent = rows.filter((row) => row.schema.description === undefined);
    if (silent.length > 0) {
      throw new Error(`No description: ${silent.map((row) => row.path).join(", ")}`);
    }
    const lines = rows.map(
      (row) =>
        `| \`${row.path}\` | ${describeType(row.schema)} | ${describeDefault(row)} | ${row.schema.description ?? ""} |`,
    );
    return [
      `### \`${name}\``,
      "",
      "| value | type | default | what it is |",
      "|---|---|---|---|",
      ...lines,
    ].join("\n");
  });
  return tables.join("\n\n");
}

/** Renders the environment variables. @param variables - Each with what it is for. */
export function renderEnvironmentTable(variables: Readonly<Record<string, string>>): string {
  const lines = Object.entries(variables).map(([name, text]) => `| \`${name}\` | ${text} |`);
  return ["| variable | what it is |", "|---|---|", ...lines].join("\n");
}
