import { t } from "@lingui/core/macro";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { Skeleton } from "@turnpike/ui/skeleton";
import { TextArea } from "@turnpike/ui/text-area";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import type { ApiClient } from "#platform/api-client.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { formatCount } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import type { Tenant, TenantId } from "../tenants.queries.ts";
import {
  findLimitFault,
  type LimitRow,
  type LimitsForm,
  type TenantTerms,
  toLimitsForm,
  toOverrides,
} from "./limits.view-model.ts";

function termsQuery(api: ApiClient, tenantId: TenantId) {
  return queryOptions({
    queryKey: ["tenant-terms", tenantId],
    queryFn: ({ signal }) => api.tenantTerms.get({ tenantId }, { signal }),
    staleTime: 0,
  });
}

export type LimitsDialogProps = { tenant: Tenant; isOpen: boolean; onClose: () => void };

/** What the operator agreed with one tenant apart from its plan. */
export function LimitsDialog({ tenant, isOpen, onClose }: LimitsDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Limits of ${tenant.name}`}
      description={t`Leave a field empty for the plan’s number. Changes apply within a second.`}
    >
      {isOpen && <Limits tenant={tenant} onDone={onClose} />}
    </Dialog>
  );
}

type LimitsProps = { tenant: Tenant; onDone: () => void };

function Limits({ tenant, onDone }: LimitsProps) {
  const { api } = usePlatform();
  const terms = useQuery(termsQuery(api, tenant.tenantId));
  if (terms.isError) {
    return (
      <FailureNotice
        what={t`The limits could not be loaded.`}
        cause={terms.error}
        onRetry={() => void terms.refetch()}
      />
    );
  }
  return terms.data === undefined ? (
    <Skeleton className="h-40 w-full" />
  ) : (
    <LimitFields tenant={tenant} terms={terms.data} onDone={onDone} />
  );
}

function LimitFields({ tenant, terms, onDone }: LimitsProps & { terms: TenantTerms }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [saved] = useState(() => toLimitsForm(terms));
  const [form, setForm] = useState(saved);
  const [reason, setReason] = useState("");
  useUnsaved(reason.trim() !== "" || form !== saved);
  const save = useMutation({
    mutationKey: ["tenant-terms", tenant.tenantId],
    mutationFn: () =>
      api.tenantTerms.put({
        tenantId: tenant.tenantId,
        overrides: toOverrides(form, terms),
        reason: reason.trim(),
      }),
    onSuccess: async () => {
      toast.success(t`The limits of ${tenant.name} were changed.`);
      onDone();
      await Promise.all(
        [["tenant-terms", tenant.tenantId], ["tenants"], ["audit", tenant.tenantId]].map(
          (queryKey) => client.invalidateQueries({ queryKey }),
        ),
      );
    },
  });
  const failure = toFormFailure(save.error, { reason: "/reason" });
  const rows = [...form.rateLimits, ...form.quotas, form.concurrency];
  const isFaulty = rows.some((row) => findLimitFault(row) !== undefined);
  const change = (list: "rateLimits" | "quotas") => (changed: LimitRow) =>
    setForm((before) => ({
      ...before,
      [list]: before[list].map((row) => (row.id === changed.id ? changed : row)),
    }));
  return (
    <DialogForm
      onSubmit={() => save.mutate()}
      onCancel={onDone}
      action={t`Save limits`}
      progress={save.isPending ? t`Saving…` : undefined}
      isDisabled={reason.trim() === "" || isFaulty}
      failure={t`The limits were not changed.`}
      errors={failure?.messages}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <LimitList rows={form.rateLimits} onChange={change("rateLimits")} />
        <LimitList rows={form.quotas} onChange={change("quotas")} />
        <LimitList
          rows={[form.concurrency]}
          onChange={(concurrency) => setForm((before: LimitsForm) => ({ ...before, concurrency }))}
        />
      </div>
      <TextArea
        label={t`Reason`}
        help={t`For the audit log.`}
        maxLength={500}
        value={reason}
        error={failure?.fields.reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </DialogForm>
  );
}

type LimitListProps = { rows: readonly LimitRow[]; onChange: (row: LimitRow) => void };

function LimitList({ rows, onChange }: LimitListProps) {
  return rows.map((row) => (
    <TextField
      key={row.id}
      isOptional
      label={row.label}
      help={
        row.ofPlan === undefined ? t`No limit in the plan.` : t`Plan: ${formatCount(row.ofPlan)}`
      }
      inputMode="numeric"
      autoComplete="off"
      maxLength={16}
      value={row.own}
      error={findLimitFault(row)}
      onChange={(event) => onChange({ ...row, own: event.currentTarget.value })}
    />
  ));
}
