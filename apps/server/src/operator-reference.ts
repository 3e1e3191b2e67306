import { createPageShell, type PageHeader } from "#http/pages/html-page.ts";
import {
  createOperatorReferenceRoutes,
  listPublicReferences,
  OPERATOR_REFERENCE_PATH,
  type UpstreamReference,
} from "#http/pages/reference/operator-reference.ts";
import { createReferenceOperations } from "#http/pages/reference/reference-operations.ts";
import { createReferenceVisits } from "#http/pages/reference/visits.ts";
import type { Clock } from "#platform/clock.ts";
import { createSealer } from "#platform/sealer.ts";
import type { Config } from "./config.ts";
import { toReferenceVisibility } from "./public-config.ts";

const HEADER: PageHeader = {
  home: OPERATOR_REFERENCE_PATH,
  subject: "API reference",
  hasSearch: false,
  links: [
    { href: "/quickstart", label: "Quickstart" },
    { href: "/docs/errors", label: "Error codes" },
    { href: "/", label: "Console" },
  ],
};

/** Puts together the reference of the operator's own API: its pages, and how signed-in people get in. */
export function createOperatorReference(input: {
  config: Config;
  urls: { console: string; gateway: string };
  clock: Clock;
  list: () => readonly UpstreamReference[];
  signingSecret: string;
}) {
  const { config, urls } = input;
  const visibility = toReferenceVisibility(config);
  const visits = createReferenceVisits(
    { clock: input.clock, sealer: createSealer(input.signingSecret, "visits to the reference") },
    { path: OPERATOR_REFERENCE_PATH, isSecure: urls.console.startsWith("https:") },
  );
  const { checkout, brand } = config;
  return {
    listPublic: () => listPublicReferences({ visibility, list: input.list }),
    routes: createReferenceOperations(visits, {
      url: visibility === "members" ? urls.console + OPERATOR_REFERENCE_PATH : undefined,
      list: () => (visibility === null ? [] : input.list().map(({ reference }) => reference)),
    }),
    rawRoutes:
      visibility === null
        ? []
        : createOperatorReferenceRoutes({
            shell: createPageShell({ checkout, brand, header: HEADER }),
            brandName: brand.name,
            consoleUrl: urls.console,
            gatewayUrl: urls.gateway,
            visibility,
            visits,
            list: input.list,
          }),
  };
}
