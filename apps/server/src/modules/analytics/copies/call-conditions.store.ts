/** Values of a caller, by the names that the statement gives them. */
type Values = Record<string, string | readonly string[] | readonly number[]>;

/** What calls are to be: any of the listed values of each field; left out, anything. */
export type CallConditions = {
  [Field in
    | "key"
    | "route"
    | "method"
    | "status_class"
    | "outcome"
    | "environment"
    | "model"
    | "tenant"]?: readonly string[] | undefined;
} & { status?: readonly number[] | undefined };

/** Columns of usage and of calls, which have the same names, as conditions and their values. */
export function toCallConditions(asked: CallConditions) {
  const parameters: Values = {};
  const conditions: string[] = [];
  const add = (column: string, name: string, type: string, values: Values[string] | undefined) => {
    if (values !== undefined) {
      parameters[name] = values;
      conditions.push(`${column} in {${name}:Array(${type})}`);
    }
  };
  add("key_id", "f_key", "String", asked.key);
  add("route", "f_route", "String", asked.route);
  add("method", "f_method", "String", asked.method);
  add("status", "f_status", "Int16", asked.status);
  add(
    "intDiv(status, 100)",
    "f_class",
    "Int16",
    asked.status_class?.map((name) => Number(name[0])),
  );
  add("outcome", "f_outcome", "String", asked.outcome);
  add("environment", "f_environment", "String", asked.environment);
  add("model", "f_model", "String", asked.model);
  add("tenant_id", "f_tenant", "String", asked.tenant);
  return { parameters, conditions };
}
