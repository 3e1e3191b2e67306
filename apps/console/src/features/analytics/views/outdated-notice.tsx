import type { SavedViews } from "#platform/saved-views.ts";
import { listOutdated } from "./saved-view.view-model.ts";

export type OutdatedNoticeProps = { saved: SavedViews; savedView: string | undefined };

/** Says what of the opened view cannot be shown: that it is gone, or was saved by an earlier version. */
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
        ? "The saved view of this address is not there any more, or is somebody else’s own. What the address says besides is shown."
        : `The view ${open.name} holds settings that are not understood any more, and are left out: ${outdated.join(", ")}. Update the view to forget them.`}
    </p>
  );
}
