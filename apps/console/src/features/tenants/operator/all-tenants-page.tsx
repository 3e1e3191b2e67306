import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { useState } from "react";
import { LateCreateTenantDialog } from "#components/late-create-tenant-dialog.tsx";
import { AllTenantsTab } from "./all-tenants-tab.tsx";
import { OperatorPage } from "./operator-page.tsx";
import type { OperatorProps } from "./operator-props.ts";

/** `/operator/tenants` */
export function AllTenantsPage(props: OperatorProps) {
  const [isCreating, setIsCreating] = useState(false);
  return (
    <OperatorPage
      title={t`All tenants`}
      purpose={t`Your customers: what each of them uses, pays and may do.`}
      action={
        <Button look="primary" onClick={() => setIsCreating(true)}>
          <Trans>Create tenant</Trans>
        </Button>
      }
    >
      <AllTenantsTab {...props} />
      <LateCreateTenantDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </OperatorPage>
  );
}
