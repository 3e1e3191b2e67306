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
      <p className="font-medium text-sm">Enter this at your identity provider</p>
      {protocol === "oidc" ? (
        <CodeBlock code={service.redirectUri} subject="Redirect address" note="Redirect address" />
      ) : (
        <>
          <CodeBlock
            code={service.acsUrl}
            subject="Assertion consumer service"
            note="Assertion consumer service (ACS) URL, binding HTTP-POST"
          />
          <CodeBlock
            code={service.entityId}
            subject="Entity id"
            note="Entity id (audience); also the address of this service's metadata"
          />
        </>
      )}
      <CodeBlock
        code={service.signInUrl}
        subject="Sign-in link"
        note="A link for your portal of applications that begins a sign-in"
      />
    </div>
  );
}
