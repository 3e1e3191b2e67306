import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { saveJson } from "#platform/save-file.ts";
import { toast } from "#platform/toast.ts";

/** Downloads everything that is kept about the person. */
export function DataSection() {
  const { api } = usePlatform();
  const download = useMutation({
    mutationKey: ["account", "export"],
    mutationFn: () => api.account.export({}),
    onSuccess: (data) => saveJson(data, "account.json"),
    onError: (error) => void toast.error(toErrorMessage(error)),
  });
  return (
    <Card
      title={t`Your data`}
      description={t`A JSON file with all that is kept about you: account, memberships, browsers, command lines, agents, notices, your own documents and what you did.`}
    >
      <Button
        progress={download.isPending ? t`Gathering…` : undefined}
        onClick={() => download.mutate()}
      >
        <Trans>Download your data</Trans>
      </Button>
    </Card>
  );
}
