import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { CodeBlock } from "@turnpike/ui/code-block";
import type { Sso } from "./sso.queries.ts";

export type ServiceAddressesProps = {
  service: Sso["service"];
  protocol: "oidc" | "saml";
};

/** What the identity provider asks for when this service is registered there. */
export function ServiceAddresses({ service, protocol }: ServiceAddressesProps) {
  return (
    <div className="space-y-3">
      <p className="font-medium text-sm">
        <Trans>Enter this at your identity provider</Trans>
      </p>
      {protocol === "oidc" ? (
        <>
          <CodeBlock
            code={service.redirectUri}
            subject={t`Redirect address`}
            note={t`Redirect address`}
          />
          <CodeBlock
            code={service.logoutUrl}
            subject={t`Back-channel logout address`}
            note={t`Back-channel logout address, so that signing out there signs out here`}
          />
        </>
      ) : (
        <>
          <CodeBlock
            code={service.acsUrl}
            subject={t`Assertion consumer service`}
            note={t`Assertion consumer service (ACS) URL, binding HTTP-POST`}
          />
          <CodeBlock
            code={service.entityId}
            subject={t`Entity id`}
            note={t`Entity id (audience); also the address of this service's metadata`}
          />
        </>
      )}
      <CodeBlock
        code={service.signInUrl}
        subject={t`Sign-in link`}
        note={t`A link for your portal of applications that begins a sign-in`}
      />
    </div>
  );
}
