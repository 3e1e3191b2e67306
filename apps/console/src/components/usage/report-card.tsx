import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { UseQueryResult } from "@tanstack/react-query";
import { Card } from "@turnpike/ui/card";
import { joinClasses } from "@turnpike/ui/join-classes";
import type { ReactNode } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { AskLink } from "#components/questions/ask-link.tsx";
import type { UsageReport } from "#platform/usage-query.ts";

export type ReportCardProps = {
  title: string;
  description: string;
  report: UseQueryResult<UsageReport>;
  /** As a sentence: "The requests could not be loaded." */
  failure: string;
  /** The question that this answers, in plain English: a link asks on from it. */
  ask?: string | undefined;
  /** The shape of what is loading, in its real size. */
  skeleton: ReactNode;
  children: (report: UsageReport) => ReactNode;
};

/** A part of the page that one report fills: loading, failed, partly answered or whole. */
export function ReportCard({ report, ...props }: ReportCardProps) {
  const { data, isError, error, isPlaceholderData, refetch } = report;
  return (
    <Card
      title={props.title}
      description={props.description}
      aside={props.ask !== undefined && <AskLink question={props.ask} />}
    >
      {isError && (
        <div className="mb-3">
          <FailureNotice
            what={props.failure}
            cause={error}
            wayOn={data === undefined ? undefined : t`The numbers below may be out of date.`}
            onRetry={() => void refetch()}
          />
        </div>
      )}
      {data === undefined ? (
        !isError && (
          <div role="status" aria-label={t`Loading: ${props.title}`}>
            {props.skeleton}
          </div>
        )
      ) : (
        <div
          aria-busy={isPlaceholderData}
          className={joinClasses(
            "transition-opacity duration-150 ease-out",
            isPlaceholderData && "opacity-50",
          )}
        >
          {data.truncated && data.grain !== null && (
            <p className="mb-3 rounded-control bg-warning-soft px-3 py-2 text-warning">
              <Trans>
                There is too much data to show at once, so the most recent data is missing. Choose a
                shorter range or a coarser grain.
              </Trans>
            </p>
          )}
          {props.children(data)}
        </div>
      )}
    </Card>
  );
}
