/** What the commands are about, as far as the person has made it on this page. */
export type GettingStartedSubject = {
  gatewayUrl: string;
  /** Slug of the chosen tenant. */
  tenant: string | undefined;
  /** An API key that is on screen right now. */
  key: string | undefined;
};

export type Step = { title: string; what: string; command: string; note?: string };

/** What the commands make when nothing is chosen: the product makes this slug of this name. */
const FIRST_TENANT = { name: "Acme", slug: "acme" };

/** A call that the bundled demo upstream answers. */
const DEMO_CALL = "/v1/quote?from=berlin&to=paris&weightGrams=1200";

/** The way from nothing to a metered call, as commands for this deployment. */
export function toGettingStartedSteps(subject: GettingStartedSubject): readonly Step[] {
  const { gatewayUrl, key, tenant = FIRST_TENANT.slug } = subject;
  return [
    {
      title: "Create a tenant",
      what: "A tenant is one customer of your API.",
      command: `npm run turnpike -- tenants create --name "${FIRST_TENANT.name}"`,
      note: "Run it where the server is installed.",
    },
    {
      title: "Create a key for it",
      what: "The key is shown once; only its hash is stored.",
      command: `npm run turnpike -- keys create --tenant ${tenant} --name "First key"`,
    },
    {
      title: "Call the API through the gateway",
      what: "The gateway checks the key, counts the call and passes it on to the upstream.",
      command: `curl -H "Authorization: Bearer ${key ?? "$KEY"}" "${gatewayUrl}${DEMO_CALL}"`,
      note:
        key === undefined
          ? "Run KEY=tp_live_… first, with the key of the second step."
          : "Your new key stands in the command while it is on this page.",
    },
    {
      title: "Find the call in the ledger",
      what: "The number that is billed is the number you see.",
      command: `npm run turnpike -- usage --tenant ${tenant} --by status`,
    },
  ];
}
