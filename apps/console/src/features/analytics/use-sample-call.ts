import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { toCodeSamples, toGet } from "#components/code-samples.view-model.ts";
import { pageContentQuery } from "#platform/page-content.ts";
import { usePlatform } from "#platform/platform.tsx";

/** A call to copy while there are none yet; undefined until its address is known. */
export function useSampleCall(): { subject: string; code: string } | undefined {
  const { config } = usePlatform();
  const content = useQuery(pageContentQuery("landing"));
  if (content.isPending) {
    return undefined;
  }
  const [curl] = toCodeSamples(config.urls.gateway, toGet(content.data?.samplePath ?? "/"));
  return curl === undefined
    ? undefined
    : { subject: t`A call through the gateway`, code: curl.code };
}
