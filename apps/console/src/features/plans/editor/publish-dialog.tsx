import { useQuery } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { Skeleton } from "@turnpike/ui/skeleton";
import type { ReactNode } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { toErrorMessage } from "#platform/error-message.ts";
import { formatCount } from "#platform/format.ts";
import { usePlatform } from "#platform/platform.tsx";
import { ChangeList } from "./change-list.tsx";
import { editorQueries, type PlanVersion, type Subscribers } from "./editor.queries.ts";

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
      title={`Publish version ${next} of ${name}`}
      description="A version never changes again. What is wrong with it is put right in the next one."
    >
      <DialogForm
        onSubmit={() => {
          if (!publish.isPending) {
            publish.mutate(undefined, { onSuccess: props.onPublished });
          }
        }}
        onCancel={close}
        action={`Publish version ${next}`}
        progress={publish.isPending ? "Publishing…" : undefined}
        failure="The draft was not published."
        errors={publish.error === null ? undefined : [toErrorMessage(publish.error)]}
      >
        {version === undefined ? (
          <p>It is offered as soon as it is published, to everyone unless it is private.</p>
        ) : (
          <>
            <Section title={`Changes since version ${String(version)}`}>
              <Changes planId={props.planId} version={version} />
            </Section>
            <Section title="Subscribers">
              <Effect planId={props.planId} version={version} />
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
        label={`Changes since version ${String(version)}`}
        changes={changes.data}
        empty="None: publishing it makes no new version."
      />
    );
  }
  return changes.isError ? (
    <FailureNotice
      what="The changes could not be loaded."
      cause={changes.error}
      onRetry={() => void changes.refetch()}
    />
  ) : (
    <Skeleton className="h-12 w-full" />
  );
}

/** Who has the plan, and that they keep it. */
function Effect({ planId, version }: { planId: string; version: number }) {
  const subscribers = useQuery(editorQueries.subscribers(usePlatform().api, planId));
  if (subscribers.data === undefined) {
    return subscribers.isError ? (
      <FailureNotice
        what="The subscribers could not be loaded."
        cause={subscribers.error}
        onRetry={() => void subscribers.refetch()}
      />
    ) : (
      <Skeleton className="h-6 w-full" />
    );
  }
  return <p>{describeEffect(subscribers.data, version)}</p>;
}

/** Says who keeps what: "12 subscribers keep the version they have: 10 on version 3, 2 on earlier ones." */
export function describeEffect({ byVersion, count, isAll }: Subscribers, version: number): string {
  if (count === 0 && isAll) {
    return "None yet. New ones get the new version.";
  }
  const newest = byVersion.get(version) ?? 0;
  const earlier = count - newest;
  const who = `${formatCount(count)}${isAll ? "" : " or more"} ${count === 1 && isAll ? "subscriber keeps" : "subscribers keep"}`;
  const where = [
    ...(newest > 0 ? [`${formatCount(newest)} on version ${String(version)}`] : []),
    ...(earlier > 0 ? [`${formatCount(earlier)} on earlier ones`] : []),
  ].join(", ");
  return `${who} the version they have${where === "" ? "" : ` (${where})`}. New ones get the new version.`;
}
