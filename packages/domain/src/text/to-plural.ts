/** The plural of a unit as operators name them: "request", "query", "MB". */
export function toPlural(unit: string): string {
  if (/^[A-Z0-9]+$/.test(unit) || /s$/.test(unit)) {
    return unit;
  }
  if (/[^aeiou]y$/.test(unit)) {
    return `${unit.slice(0, -1)}ies`;
  }
  return /(x|z|ch|sh)$/.test(unit) ? `${unit}es` : `${unit}s`;
}
