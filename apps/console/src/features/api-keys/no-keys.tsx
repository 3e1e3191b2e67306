import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import { EmptyState } from "@turnpike/ui/empty-state";
import KeyRound from "lucide-react/icons/key-round";
import SearchX from "lucide-react/icons/search-x";
import { toCodeSamples, toGet } from "#components/code-samples.view-model.ts";
import { DocsLink } from "#components/docs-link.tsx";
import { pageContentQuery } from "#platform/page-content.ts";
import { usePlatform } from "#platform/platform.tsx";
import {
  clearFilters,
  isNarrowed,
  type KeysView,
  toFirstPage,
} from "./api-keys-search.view-model.ts";

export type NoKeysProps = {
  view: KeysView;
  mayWrite: boolean;
  onChange: (view: KeysView) => void;
};

/** Shown instead of rows: there are no keys yet, none match, or the page is past the end. */
export function NoKeys({ view, mayWrite, onChange }: NoKeysProps) {
  if (view.cursors.length > 0) {
    return (
      <EmptyState
        icon={<SearchX />}
        title={t`Nothing on this page`}
        action={
          <Button onClick={() => onChange(toFirstPage(view))}>
            <Trans>Go to the first page</Trans>
          </Button>
        }
      >
        <Trans>The keys on this page are gone or no longer match the filters.</Trans>
      </EmptyState>
    );
  }
  if (isNarrowed(view)) {
    return (
      <EmptyState
        icon={<SearchX />}
        title={t`No matching keys`}
        action={
          <Button onClick={() => onChange(clearFilters(view))}>
            <Trans>Clear filters</Trans>
          </Button>
        }
      >
        <Trans>
          Search for part of a name, a full id, or the first or last characters of a key.
        </Trans>
      </EmptyState>
    );
  }
  return <NoKeysYet view={view} mayWrite={mayWrite} onChange={onChange} />;
}

function NoKeysYet({ view, mayWrite, onChange }: NoKeysProps) {
  const { config } = usePlatform();
  const content = useQuery(pageContentQuery("landing"));
  const [curl] = toCodeSamples(config.urls.gateway, toGet(content.data?.samplePath ?? "/"));
  return (
    <EmptyState
      icon={<KeyRound />}
      title={t`No API keys yet`}
      action={
        mayWrite && (
          <div className="flex flex-wrap justify-center gap-2">
            <Button look="primary" onClick={() => onChange({ ...view, isCreating: true })}>
              <Trans>Create key</Trans>
            </Button>
            <Button onClick={() => onChange({ ...view, isImporting: true })}>
              <Trans>Import existing keys</Trans>
            </Button>
          </div>
        )
      }
      {...(curl !== undefined && { snippet: { subject: t`A call with a key`, code: curl.code } })}
    >
      <Trans>
        A key identifies the caller: the gateway denies calls without one. Create one for each
        program, so that each can be counted, rolled and revoked separately.{" "}
        <DocsLink page="keys">How keys work</DocsLink>
      </Trans>
    </EmptyState>
  );
}
