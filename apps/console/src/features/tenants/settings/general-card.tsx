import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { Card } from "@turnpike/ui/card";
import { FormErrors } from "@turnpike/ui/form-errors";
import { TextField } from "@turnpike/ui/text-field";
import { type SubmitEvent, useState } from "react";
import { useSwitchTenant } from "#components/app-frame/tenant-switcher.tsx";
import { type OwnTenant, rememberTenant } from "#platform/current-tenant.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { useRefreshVerifiedUser } from "#platform/verified-user.ts";
import { toMissingScope } from "../standing.view-model.ts";

export type GeneralCardProps = { tenant: OwnTenant; mayWrite: boolean };

/** Name and slug, editable or, for people who may not change them, read-only. */
export function GeneralCard({ tenant, mayWrite }: GeneralCardProps) {
  return (
    <Card title={t`Name and slug`} description={t`How people and links refer to this tenant.`}>
      {mayWrite ? (
        <GeneralForm tenant={tenant} />
      ) : (
        <>
          <dl className="grid gap-4 sm:grid-cols-2">
            <div className="min-w-0">
              <dt className="font-medium">
                <Trans>Name</Trans>
              </dt>
              <dd className="[overflow-wrap:anywhere]">{tenant.name}</dd>
            </div>
            <div className="min-w-0">
              <dt className="font-medium">
                <Trans>Slug</Trans>
              </dt>
              <dd className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">{tenant.slug}</dd>
            </div>
          </dl>
          <p className="mt-4 text-ink-muted">{toMissingScope(tenant, t`change these`)}</p>
        </>
      )}
    </Card>
  );
}

function useUpdateTenant(tenant: OwnTenant) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const refresh = useRefreshVerifiedUser();
  const switchTo = useSwitchTenant();
  return useMutation({
    mutationKey: ["tenants", "update"],
    mutationFn: (change: { name?: string; slug?: string }) =>
      api.tenants.update({ tenantId: tenant.tenantId, ...change }),
    onSuccess: async ({ slug }) => {
      // This comes before the tenants reload: the address still has the old slug, so the last used tenant decides meanwhile.
      rememberTenant(slug);
      await refresh();
      if (slug !== tenant.slug) {
        switchTo(slug);
      }
      await client.invalidateQueries({ queryKey: ["tenants"] });
      await client.invalidateQueries({ queryKey: ["audit", tenant.tenantId] });
    },
  });
}

function GeneralForm({ tenant }: { tenant: OwnTenant }) {
  const [name, setName] = useState(tenant.name);
  const [slug, setSlug] = useState(tenant.slug);
  const update = useUpdateTenant(tenant);
  const submitOnce = useSubmitOnce(update.mutateAsync, "settled");
  const failure = toFormFailure(update.error, { name: "/name", slug: "/slug" });
  const change = {
    ...(name.trim() === tenant.name ? {} : { name }),
    ...(slug.trim() === tenant.slug ? {} : { slug: slug.trim() }),
  };
  const isChanged = Object.keys(change).length > 0;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (isChanged) {
      submitOnce(change, { onSuccess: () => toast.success(t`The tenant was saved.`) });
    }
  }

  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      <FormErrors
        title={failure === undefined ? undefined : t`The tenant was not saved.`}
        errors={failure?.messages ?? []}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t`Name`}
          help={t`Shown in lists and e-mails.`}
          name="name"
          value={name}
          maxLength={100}
          autoComplete="organization"
          error={failure?.fields.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextField
          label={t`Slug`}
          help={t`Used in links. Lower-case letters, digits and dashes.`}
          name="slug"
          isMono
          value={slug}
          maxLength={64}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          error={failure?.fields.slug}
          onChange={(event) => setSlug(event.currentTarget.value)}
        />
      </div>
      {"slug" in change && <SlugNotice before={tenant.slug} />}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          look="primary"
          disabled={!isChanged}
          progress={update.isPending ? t`Saving…` : undefined}
        >
          <Trans>Save changes</Trans>
        </Button>
        {isChanged && (
          <Button
            look="quiet"
            onClick={() => {
              setName(tenant.name);
              setSlug(tenant.slug);
              update.reset();
            }}
          >
            <Trans>Discard changes</Trans>
          </Button>
        )}
      </div>
    </form>
  );
}

/** Explains what a new slug breaks, before it is saved. */
function SlugNotice({ before }: { before: string }) {
  return (
    <div
      role="note"
      className="rounded-control border border-transparent bg-warning-soft px-3 py-2.5 text-sm"
    >
      <p className="font-medium text-warning">
        <Trans>A new slug breaks saved links.</Trans>
      </p>
      <ul className="mt-1 list-disc pl-5">
        <li>
          <Trans>
            Console links with <code className="font-mono">?tenant={before}</code> no longer lead
            here, and another tenant may take that slug.
          </Trans>
        </li>
        <li>
          <Trans>Programs that look this tenant up by its slug need the new one.</Trans>
        </li>
        <li>
          <Trans>Keys, calls, usage and members are not affected: they belong to the id.</Trans>
        </li>
      </ul>
    </div>
  );
}
