const NOUNS: Readonly<Record<string, string>> = {
  tenant: "tenant tenants customer customers client clients companies",
  key: "key keys credential credentials",
  plan: "plan plans tier tiers",
  route: "route routes endpoint endpoints path paths url urls",
  method: "method methods verb verbs",
  status: "status statuses code codes",
  region: "region regions location locations datacenter datacentre",
  environment: "environment environments mode",
};

/** From a noun that people use to the dimension it names. */
export const FIELD_NOUNS: ReadonlyMap<string, string> = new Map(
  Object.entries(NOUNS).flatMap(([field, words]) =>
    words.split(" ").map((word): [string, string] => [word, field]),
  ),
);
