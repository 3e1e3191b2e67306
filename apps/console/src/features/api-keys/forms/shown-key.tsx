import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { CodeBlock } from "@turnpike/ui/code-block";
import { SecretOnce } from "@turnpike/ui/secret-once";
import { toCodeSamples, toGet } from "#components/code-samples.view-model.ts";
import { pageContentQuery } from "#platform/page-content.ts";
import { usePlatform } from "#platform/platform.tsx";

export type ShownKeyProps = { secret: string; onStored: () => void };

/** A new key, shown this one time, with a call that is ready to run. */
export function ShownKey({ secret, onStored }: ShownKeyProps) {
  const { config } = usePlatform();
  const content = useQuery(pageContentQuery("landing"));
  const [curl] = toCodeSamples(config.urls.gateway, toGet(content.data?.samplePath ?? "/"), secret);
  return (
    <div className="space-y-4">
      <SecretOnce
        subject={t`API key`}
        secret={secret}
        advice={t`Store it where your program reads its secrets.`}
        onStored={onStored}
      />
      {curl !== undefined && (
        <div>
          <p className="mb-1.5 font-medium">
            <Trans>Try it</Trans>
          </p>
          <CodeBlock code={curl.code} subject={t`A call with this key`} note={curl.note} />
        </div>
      )}
    </div>
  );
}
