import { said } from "@turnpike/domain/text/said";
import { toPlural } from "@turnpike/domain/text/to-plural";
import type { AnswerWords } from "./answer-words.ts";

type Nouns = readonly [one: string, many: string, missing: string];

/** What calls and invoices are broken down by. */
const DIMENSIONS: Readonly<Record<string, Nouns>> = {
  tenant: [said("tenant"), said("tenants"), said("no tenant")],
  key: [said("key"), said("keys"), said("no key")],
  plan: [said("plan"), said("plans"), said("no plan")],
  route: [said("route"), said("routes"), said("no route")],
  model: [said("model"), said("models"), said("no model")],
  method: [said("method"), said("methods"), said("no method")],
  status: [said("status"), said("status"), said("no status")],
  status_class: [said("status class"), said("status classes"), said("no status class")],
  outcome: [said("outcome"), said("outcomes"), said("no outcome")],
  region: [said("region"), said("regions"), said("no region")],
  environment: [said("environment"), said("environments"), said("no environment")],
  invoice_status: [said("invoice status"), said("invoice status"), said("no invoice status")],
  currency: [said("currency"), said("currencies"), said("no currency")],
};

/** Names a dimension for readers. What a meter records has the name that the operator gave it. */
export function nameDimension({ say }: AnswerWords, dimension: string): string {
  const [one] = DIMENSIONS[dimension] ?? [];
  return one === undefined ? dimension.replaceAll("_", " ") : say(one);
}

export function nameDimensions(words: AnswerWords, dimension: string): string {
  const [, many] = DIMENSIONS[dimension] ?? [];
  return many === undefined ? toPlural(nameDimension(words, dimension)) : words.say(many);
}

/** What has no value of a dimension: “no route”. */
export function nameMissing(words: AnswerWords, dimension: string): string {
  const [, , missing] = DIMENSIONS[dimension] ?? [];
  return missing === undefined
    ? words.say(said("no {0}"), nameDimension(words, dimension))
    : words.say(missing);
}
