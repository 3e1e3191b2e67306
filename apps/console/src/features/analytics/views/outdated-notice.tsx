import { t } from "@lingui/core/macro";
import type { SavedViews } from "#platform/saved-views.ts";
import { listOutdated } from "./saved-view.view-model.ts";

export type OutdatedNoticeProps = { saved: SavedViews; savedView: string | undefined };

/** Says why the opened view cannot be shown in full: it is gone, or an earlier version saved it. */
export function OutdatedNotice({ saved, savedView }: OutdatedNoticeProps) {
  if (savedView === undefined) {
    return null;
  }
  const open = saved.views.find(({ viewId }) => viewId === savedView);
  const outdated = open === undefined ? [] : listOutdated(open);
  if (open !== undefined && outdated.length === 0) {
    return null;
  }
  return (
    <p
      role="status"
      className="mb-3 rounded-control border border-line bg-warning-soft px-3 py-2 text-sm [overflow-wrap:anywhere]"
    >
      {open === undefined
        ? t`The saved view in this address was deleted or is private to someone else. The other settings in the address apply.`
        : t`The view ${open.name} has settings that no longer exist and are ignored: ${outdated.join(", ")}. Update the view to remove them.`}
    </p>
  );
}
