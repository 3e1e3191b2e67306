const STEP = 4;

/**
 * Writes a JSON value as Python. Texts and numbers look the same in both.
 *
 * @param indent - Columns before the line of the value.
 */
export function toPythonLiteral(value: unknown, indent: number): string {
  const inner = indent + STEP;
  const frame = (open: string, lines: readonly string[], close: string) =>
    lines.length === 0
      ? open + close
      : `${open}\n${lines.map((line) => `${" ".repeat(inner)}${line},\n`).join("")}${" ".repeat(indent)}${close}`;
  if (Array.isArray(value)) {
    const lines = value.map((each: unknown) => toPythonLiteral(each, inner));
    return frame("[", lines, "]");
  }
  if (typeof value === "object" && value !== null) {
    const lines = Object.entries(value).map(
      ([name, each]) => `${JSON.stringify(name)}: ${toPythonLiteral(each, inner)}`,
    );
    return frame("{", lines, "}");
  }
  switch (value) {
    case null:
      return "None";
    case true:
      return "True";
    case false:
      return "False";
    default:
      return JSON.stringify(value);
  }
}
