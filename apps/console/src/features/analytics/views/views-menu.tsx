import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { ConfirmDialog } from "@turnpike/ui/confirm-dialog";
import { Menu, MenuGroup, MenuItem, MenuSeparator } from "@turnpike/ui/menu";
import Bookmark from "lucide-react/icons/bookmark";
import Check from "lucide-react/icons/check";
import { useState } from "react";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import {
  chooseDefaultView,
  deleteView,
  type SavedView,
  type SavedViews,
  savedViewsQuery,
  saveView,
  type ViewsOwner,
  withoutView,
  withView,
} from "#platform/saved-views.ts";
import { toast } from "#platform/toast.ts";
import type { AnalyticsSearch, AnalyticsView } from "../analytics-search.view-model.ts";
import { isChanged, listOutdated, toSearchOf, toViewSearch } from "./saved-view.view-model.ts";
import { ViewDialog } from "./view-dialog.tsx";

export type ViewsMenuProps = {
  owner: ViewsOwner;
  saved: SavedViews;
  view: AnalyticsView;
  /** False: views can only be opened. */
  maySave: boolean;
  onSearchChange: (search: AnalyticsSearch) => void;
};

type Asking = "save" | "edit" | "delete";

/** The menu of saved views: open one, save the current view, and manage them. */
export function ViewsMenu({ owner, saved, view, maySave, onSearchChange }: ViewsMenuProps) {
  const { api, documents } = usePlatform();
  const client = useQueryClient();
  const [asking, setAsking] = useState<Asking>();
  const open = saved.views.find(({ viewId }) => viewId === view.savedView);
  const { queryKey } = savedViewsQuery(api, owner);
  const refresh = () => client.invalidateQueries({ queryKey: ["saved-views", owner.tenantId] });
  const onError = (error: unknown) => void toast.error(toErrorMessage(error));
  const update = useMutation({
    mutationKey: ["saved-views", "update"],
    mutationFn: async (before: SavedView) =>
      saveView(await documents(), owner, { ...before, search: toViewSearch(view) }, before),
    onSuccess: (updated) => {
      client.setQueryData(queryKey, (known) => known && withView(known, updated));
      toast.success(t`The view was updated.`);
    },
    onError,
    onSettled: refresh,
  });
  const choose = useMutation({
    mutationKey: ["saved-views", "default"],
    mutationFn: async (viewId: string | undefined) =>
      chooseDefaultView(await documents(), owner, { saved, viewId }),
    onSuccess: (_, viewId) => {
      client.setQueryData(queryKey, (known) => known && { ...known, defaultId: viewId });
    },
    onError,
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationKey: ["saved-views", "delete"],
    mutationFn: async (before: SavedView) => deleteView(await documents(), owner, before),
    onSuccess: (_, { viewId }) => {
      client.setQueryData(queryKey, (known) => known && withoutView(known, viewId));
      setAsking(undefined);
      onSearchChange(toSearchOf({ ...emptyView, search: toViewSearch(view) }));
    },
    onSettled: refresh,
  });
  const isDefault = open !== undefined && saved.defaultId === open.viewId;
  const hasChanges = open !== undefined && (isChanged(view, open) || listOutdated(open).length > 0);
  const listed = (isShared: boolean) => saved.views.filter((one) => one.isShared === isShared);
  return (
    <>
      <Menu
        trigger={
          <Button className="max-w-56">
            <Bookmark className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
            <span className="truncate">
              {open === undefined ? t`Views` : t`${open.name}${hasChanges ? t` (changed)` : ""}`}
            </span>
          </Button>
        }
      >
        <ViewGroup
          label={t`My views`}
          views={listed(false)}
          openId={open?.viewId}
          onOpen={(one) => onSearchChange(toSearchOf(one))}
        />
        <ViewGroup
          label={t`Shared views`}
          views={listed(true)}
          openId={open?.viewId}
          onOpen={(one) => onSearchChange(toSearchOf(one))}
        />
        {saved.views.length > 0 && (
          <>
            <MenuItem onSelect={() => onSearchChange({})}>
              <Trans>Standard view</Trans>
            </MenuItem>
            {maySave && <MenuSeparator />}
          </>
        )}
        {maySave && open !== undefined && (
          <>
            {hasChanges && (
              <MenuItem onSelect={() => update.mutate(open)}>
                <Trans>Update {open.name}</Trans>
              </MenuItem>
            )}
            <MenuItem onSelect={() => setAsking("edit")}>
              <Trans>Rename or share…</Trans>
            </MenuItem>
            <MenuItem onSelect={() => choose.mutate(isDefault ? undefined : open.viewId)}>
              {isDefault ? t`Do not open by default` : t`Open by default`}
            </MenuItem>
            <MenuItem isDanger onSelect={() => setAsking("delete")}>
              <Trans>Delete view…</Trans>
            </MenuItem>
            <MenuSeparator />
          </>
        )}
        {maySave && (
          <MenuItem onSelect={() => setAsking("save")}>
            <Trans>Save as new view…</Trans>
          </MenuItem>
        )}
      </Menu>
      <ViewDialog
        isOpen={asking === "save" || asking === "edit"}
        onClose={() => setAsking(undefined)}
        owner={owner}
        search={asking === "edit" && open !== undefined ? open.search : toViewSearch(view)}
        before={asking === "edit" ? open : undefined}
        onSaved={(one) => {
          setAsking(undefined);
          onSearchChange(toSearchOf(one));
        }}
      />
      {open !== undefined && (
        <ConfirmDialog
          isOpen={asking === "delete"}
          onClose={() => setAsking(undefined)}
          title={t`Delete the view ${open.name}?`}
          description={
            open.isShared
              ? t`It is deleted for everyone in the tenant. The current page does not change.`
              : t`The current page does not change.`
          }
          action={t`Delete view`}
          progress={remove.isPending ? t`Deleting…` : undefined}
          error={remove.isError ? toErrorMessage(remove.error) : undefined}
          onConfirm={() => remove.mutate(open)}
        />
      )}
    </>
  );
}

/** The current view, not saved yet. */
const emptyView = { viewId: "", name: "", isShared: false, revision: "0" };

type ViewGroupProps = {
  label: string;
  views: readonly SavedView[];
  openId: string | undefined;
  onOpen: (view: SavedView) => void;
};

function ViewGroup({ label, views, openId, onOpen }: ViewGroupProps) {
  return views.length === 0 ? null : (
    <MenuGroup label={label}>
      {views.map((one) => (
        <MenuItem
          key={one.viewId}
          onSelect={() => onOpen(one)}
          aside={
            one.viewId === openId && (
              <Check aria-label={t({ message: "Open", context: "view that is shown" })} />
            )
          }
        >
          {one.name}
        </MenuItem>
      ))}
    </MenuGroup>
  );
}
