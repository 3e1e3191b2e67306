import { t } from "@lingui/core/macro";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { Select } from "@turnpike/ui/select";
import { useState } from "react";
import { toMonthlyPrice } from "#components/plan.view-model.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import type { Plan } from "#platform/shared-queries.ts";
import { toast } from "#platform/toast.ts";
import type { Tenant } from "../tenants.queries.ts";
import { useUpdateAnyTenant } from "./use-update-any-tenant.ts";

export type PlanCellProps = { tenant: Tenant; plans: readonly Plan[] };

/** The plan of a tenant, with a choice of others. Asks before it moves the tenant. */
export function PlanCell({ tenant, plans }: PlanCellProps) {
  const [wanted, setWanted] = useState<Plan>();
  const [isAsking, setIsAsking] = useState(false);
  const update = useUpdateAnyTenant(tenant.tenantId);
  const isListed = plans.some(({ planId }) => planId === tenant.planId);
  const name = wanted?.name ?? t`another plan`;

  function close(): void {
    update.reset();
    setIsAsking(false);
  }

  function ask(planId: string): void {
    if (planId !== tenant.planId) {
      setWanted(plans.find((plan) => plan.planId === planId));
      setIsAsking(true);
    }
  }

  function change(): void {
    if (wanted !== undefined) {
      update.mutate(
        { planId: wanted.planId },
        {
          onSuccess: () => {
            toast.success(t`${tenant.name} is now on ${name}.`);
            close();
          },
        },
      );
    }
  }

  return (
    <>
      <Select
        label={t`Plan of ${tenant.name}`}
        className="w-40"
        value={tenant.planId}
        choices={[
          ...(isListed ? [] : [{ value: tenant.planId, label: tenant.planId }]),
          ...plans.map((plan) => ({
            value: plan.planId,
            label: plan.name,
            note: toMonthlyPrice(plan),
          })),
        ]}
        onValueChange={ask}
      />
      <ConfirmDialog
        isOpen={isAsking}
        onClose={close}
        title={t`Move ${tenant.name} to ${name}?`}
        description={t`The limits of ${name} apply within a second. Usage in this period carries over, and the audit log will name both plans.`}
        action={t`Change plan`}
        isDangerous={false}
        progress={update.isPending ? t`Changing…` : undefined}
        error={update.isError ? toErrorMessage(update.error) : undefined}
        onConfirm={change}
      />
    </>
  );
}
