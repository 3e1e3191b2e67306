import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { ReactNode } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { ChangeList } from "./change-list.tsx";
import { editorQueries, type PlanVersion } from "./editor.queries.ts";
import { MigrationPreview } from "./migration/migration-preview.tsx";

export type PublishDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  planId: string;
  name: string;
  /** The newest published version; undefined for a plan without any. */
  version: number | undefined;
  publish: {
    isPending: boolean;
    error: Error | null;
    mutate: (input: undefined, options: { onSuccess: (version: PlanVersion) => void }) => void;
    reset: () => void;
  };
  onPublished: (version: PlanVersion) => void;
};

/** Shows what a new version changes and whom, and publishes it. */
export function PublishDialog(props: PublishDialogProps) {
  const { isOpen, name, version, publish } = props;
  const next = String((version ?? 0) + 1);

  function close(): void {
    publish.reset();
    props.onClose();
  }

  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      size="wide"
      title={t`Publish version ${next} of ${name}`}
      description={t`A version never changes again. What is wrong with it is put right in the next one.`}
    >
      <DialogForm
        onSubmit={() => {
          if (!publish.isPending) {
            publish.mutate(undefined, { onSuccess: props.onPublished });
          }
        }}
        onCancel={close}
        action={t`Publish version ${next}`}
        progress={publish.isPending ? t`Publishing…` : undefined}
        failure={t`The draft was not published.`}
        errors={publish.error === null ? undefined : [toErrorMessage(publish.error)]}
      >
        {version === undefined ? (
          <p>
            <Trans>
              It is offered as soon as it is published, to everyone unless it is private.
            </Trans>
          </p>
        ) : (
          <>
            <Section title={t`Changes since version ${String(version)}`}>
              <Changes planId={props.planId} version={version} />
            </Section>
            <Section title={t`Subscribers`}>
              <p className="mb-2">
                <Trans>
                  They keep the version they have. This is what each would pay in the new one, if
                  you move them to it later.
                </Trans>
              </p>
              <MigrationPreview planId={props.planId} to="draft" />
            </Section>
          </>
        )}
      </DialogForm>
    </Dialog>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1 font-medium">{title}</h3>
      {children}
    </section>
  );
}

function Changes({ planId, version }: { planId: string; version: number }) {
  const changes = useQuery(
    editorQueries.changes(usePlatform().api, { planId, from: version, to: "draft" }),
  );
  if (changes.data !== undefined) {
    return (
      <ChangeList
        label={t`Changes since version ${String(version)}`}
        changes={changes.data}
        empty={t`None: publishing it makes no new version.`}
      />
    );
  }
  return changes.isError ? (
    <FailureNotice
      what={t`The changes could not be loaded.`}
      cause={changes.error}
      onRetry={() => void changes.refetch()}
    />
  ) : (
    <Skeleton className="h-12 w-full" />
  );
}
