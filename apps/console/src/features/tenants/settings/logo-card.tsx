import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { joinClasses } from "@turnpike/ui/join-classes";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { useState } from "react";
import { TenantMark } from "#components/tenant-mark.tsx";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { uploadLogo } from "#platform/upload-logo.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { useRefreshVerifiedUser } from "#platform/verified-user.ts";
import { ChoosePicture } from "./choose-picture.tsx";
import { type ChosenPicture, readPicture } from "./read-picture.ts";

type Fit = "contain" | "cover";

const FITS = [
  { value: "contain", label: t`Whole picture` },
  { value: "cover", label: t`Crop to square` },
] as const;

export type LogoCardProps = { tenant: OwnTenant; mayWrite: boolean };

/** The logo of the tenant: chosen or dropped, looked at, then saved; or removed. */
export function LogoCard({ tenant, mayWrite }: LogoCardProps) {
  if (!mayWrite && tenant.logoId === null) {
    return null;
  }
  return (
    <Card title={t`Logo`} description={t`Shown for this tenant in lists and in the sidebar.`}>
      {mayWrite ? (
        <LogoForm key={tenant.tenantId} tenant={tenant} />
      ) : (
        <TenantMark tenant={tenant} size="large" />
      )}
    </Card>
  );
}

/** Runs a change of the logo, then shows it everywhere. */
function useLogoChange<Input>(tenant: OwnTenant, change: (input: Input) => Promise<unknown>) {
  const client = useQueryClient();
  const refresh = useRefreshVerifiedUser();
  return useMutation({
    mutationKey: ["tenants", "logo"],
    mutationFn: change,
    onSuccess: async () => {
      await refresh();
      await client.invalidateQueries({ queryKey: ["tenants"] });
      await client.invalidateQueries({ queryKey: ["audit", tenant.tenantId] });
    },
  });
}

function LogoForm({ tenant }: { tenant: OwnTenant }) {
  const { api, config, session } = usePlatform();
  const { tenantId } = tenant;
  const [chosen, setChosen] = useState<ChosenPicture>();
  const [fault, setFault] = useState<string>();
  const [fit, setFit] = useState<Fit>("contain");
  const upload = useLogoChange(tenant, ({ file }: ChosenPicture) =>
    uploadLogo({
      getIdToken: session.getIdToken,
      apiUrl: config.urls.api,
      tenantId,
      picture: file,
      fit,
    }),
  );
  const remove = useLogoChange(tenant, () => api.logos.remove({ tenantId }));
  const uploadOnce = useSubmitOnce(upload.mutateAsync, "settled");
  const removeOnce = useSubmitOnce(remove.mutateAsync, "settled");
  const failure = upload.error ?? remove.error;

  async function choose(file: File): Promise<void> {
    upload.reset();
    remove.reset();
    setFault(undefined);
    try {
      setChosen(await readPicture(file));
    } catch (error) {
      setChosen(undefined);
      setFault(toErrorMessage(error));
    }
  }

  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center gap-4 sm:flex-nowrap">
        {chosen === undefined ? (
          <TenantMark tenant={tenant} size="large" />
        ) : (
          <img
            src={chosen.url}
            alt={t`Preview of the logo`}
            onError={() => {
              setChosen(undefined);
              setFault(t`The file is no picture that can be shown.`);
            }}
            className={joinClasses(
              "size-24 shrink-0 rounded-card border border-line bg-white",
              fit === "cover" ? "object-cover" : "object-contain",
            )}
          />
        )}
        <ChoosePicture
          error={fault ?? (failure === null ? undefined : toErrorMessage(failure))}
          onChoose={(file) => void choose(file)}
        />
      </div>
      {chosen !== undefined && (
        <div className="flex flex-wrap items-center gap-2">
          <SegmentedControl label={t`Fit`} segments={FITS} value={fit} onValueChange={setFit} />
          <Button
            look="primary"
            progress={upload.isPending ? t`Saving…` : undefined}
            onClick={() =>
              uploadOnce(chosen, {
                onSuccess: () => {
                  setChosen(undefined);
                  toast.success(t`The logo was saved.`);
                },
              })
            }
          >
            <Trans>Save logo</Trans>
          </Button>
          <Button look="quiet" onClick={() => setChosen(undefined)}>
            <Trans>Discard</Trans>
          </Button>
        </div>
      )}
      {chosen === undefined && tenant.logoId !== null && (
        <Button
          progress={remove.isPending ? t`Removing…` : undefined}
          onClick={() =>
            removeOnce(undefined, { onSuccess: () => toast.success(t`The logo was removed.`) })
          }
        >
          <Trans>Remove logo</Trans>
        </Button>
      )}
    </div>
  );
}
