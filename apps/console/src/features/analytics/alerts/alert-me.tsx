import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import Bell from "lucide-react/icons/bell";
import { useState } from "react";
import { useLatePart } from "#components/use-late-part.ts";
import { toast } from "#platform/toast.ts";
import type { TenantId } from "../analytics.queries.ts";
import type { AnalyticsView } from "../analytics-search.view-model.ts";
import type { KeyName } from "../breakdown.view-model.ts";
import type { AlertTask } from "./alert-dialogs.tsx";
import { draftFromView } from "./alert-draft.view-model.ts";

export type AlertMeProps = {
  tenantId: TenantId;
  view: Pick<AnalyticsView, "filters">;
  keyNames: ReadonlyMap<string, KeyName>;
  onSaved: () => void;
};

/** Starts an alert on the current view. */
export function AlertMe({ tenantId, view, keyNames, onSaved }: AlertMeProps) {
  const [task, setTask] = useState<AlertTask>();
  const late = useLatePart(
    "alert-dialogs",
    () => import("./alert-dialogs.tsx"),
    task !== undefined,
  );
  return (
    <>
      <Button onClick={() => setTask({ kind: "add", draft: draftFromView(view) })}>
        <Bell className="size-3.5 text-ink-faint" aria-hidden="true" />
        <Trans>Alert me</Trans>
      </Button>
      {late !== undefined && (
        <late.AlertDialogs
          tenantId={tenantId}
          keyNames={keyNames}
          task={task}
          onTask={setTask}
          onSaved={({ name }) => {
            toast.success(t`${name} is checked from the next minute.`);
            onSaved();
          }}
        />
      )}
    </>
  );
}
