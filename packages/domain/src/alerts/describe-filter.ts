import { toOutcomeLabel } from "../metering/to-outcome-label.ts";
import { said } from "../text/said.ts";

/** The names of the filters. */
const FILTER_LABELS: Readonly<Record<string, string>> = {
  outcome: said("Outcome"),
  status_class: said("Status class"),
  status: said("Status"),
  route: said("Route"),
  method: said("Method"),
  key: said("Key"),
  environment: said("Environment"),
  event: said("Event dimension"),
};

/** The route of all calls beyond the bound on distinct routes. */
const OTHER_ROUTES = "{other}";

function describeValue(
  name: string,
  value: string,
  nameKey: (keyId: string) => string | undefined,
): string {
  if (value === "") {
    return name === "key" ? said("Unknown key") : said("Unknown");
  }
  switch (name) {
    case "outcome":
      return toOutcomeLabel(value);
    case "key":
      return nameKey(value) ?? value;
    case "route":
      return value === OTHER_ROUTES ? said("Other routes") : value;
    case "event":
      return value.replace(":", ": ");
    default:
      return value;
  }
}

/** A filter in words: `outcome` of `RATE_LIMITED` gives "Outcome: Rate limited". */
export function describeFilter(
  name: string,
  values: readonly string[],
  nameKey: (keyId: string) => string | undefined,
): string {
  const shown = values.map((value) => describeValue(name, value, nameKey)).join(", ");
  return `${FILTER_LABELS[name] ?? name}: ${shown}`;
}
