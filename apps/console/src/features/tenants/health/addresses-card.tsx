import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge } from "@turnpike/ui/badge";
import { Card } from "@turnpike/ui/card";
import { CopyButton } from "@turnpike/ui/copy-button";
import { usePlatform } from "#platform/platform.tsx";

const LINK =
  "underline decoration-line-control underline-offset-4 hover:decoration-ink motion-safe:transition-colors motion-safe:duration-150";

/** The three public addresses of the deployment, with links to their documentation. */
export function AddressesCard() {
  const { urls, version } = usePlatform().config;
  const addresses = [
    { name: t`Console`, url: urls.console, purpose: t`this page` },
    { name: "API", url: urls.api, purpose: t`tenants, keys, usage` },
    { name: t`Gateway`, url: urls.gateway, purpose: t`your customers' calls` },
  ];
  const reading = [
    { name: t`API reference`, href: `${urls.api}/v1/reference` },
    { name: t`OpenAPI 3.1`, href: `${urls.api}/v1/openapi.json` },
    { name: t`Documentation`, href: `${urls.console}/docs` },
  ];
  return (
    <Card
      title={t`Addresses`}
      aside={
        <Badge hasDot={false}>
          <Trans>Version {version}</Trans>
        </Badge>
      }
    >
      <dl className="divide-y divide-line border-line border-t">
        {addresses.map(({ name, url, purpose }) => (
          <div key={name} className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-2 py-2">
            <dt>
              {name} <span className="text-ink-muted text-xs">{purpose}</span>
            </dt>
            <dd className="col-start-1 font-mono text-[0.8125rem] text-ink-muted [overflow-wrap:anywhere]">
              {url}
            </dd>
            <dd className="col-start-2 row-span-2 row-start-1">
              <CopyButton value={url} subject={t`${name} address`} />
            </dd>
          </div>
        ))}
      </dl>
      <nav aria-label={t`Reading`} className="mt-3 flex flex-wrap gap-x-5 gap-y-2">
        {reading.map(({ name, href }) => (
          <a key={name} href={href} className={LINK}>
            {name}
          </a>
        ))}
      </nav>
    </Card>
  );
}
