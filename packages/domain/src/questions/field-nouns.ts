const NOUNS: Readonly<Record<string, string>> = {
  tenant:
    "tenant tenants customer customers client clients companies organisation organisations organization organizations orgs subscriber subscribers accounts",
  key: "key keys credential credentials",
  plan: "plan plans tier tiers packages",
  route: "route routes endpoint endpoints path paths url urls uri uris apis operations",
  model: "model models llm llms",
  method: "method methods verb verbs",
  status: "status statuses codes",
  region:
    "region regions location locations datacenter datacentre datacenters datacentres zone zones geography geo",
  environment: "environment environments mode",
};

/** From a noun that people use to the dimension it names. */
export const FIELD_NOUNS: ReadonlyMap<string, string> = new Map(
  Object.entries(NOUNS).flatMap(([field, words]) =>
    words.split(" ").map((word): [string, string] => [word, field]),
  ),
);
