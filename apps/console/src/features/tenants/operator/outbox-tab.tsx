import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import type { Column } from "@turnpike/ui/column";
import { DataTable } from "@turnpike/ui/data-table";
import { EmptyState } from "@turnpike/ui/empty-state";
import { RelativeTime } from "@turnpike/ui/relative-time";
import MailIcon from "lucide-react/icons/mail";
import { useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { PageFooter } from "#components/page-footer.tsx";
import { useCursorTrail } from "#components/use-cursor-trail.ts";
import { usePlatform } from "#platform/platform.tsx";
import { type Mail, operatorQueries } from "../tenants.queries.ts";
import { MailFilters } from "./mail-filters.tsx";
import { MailSheet } from "./mail-sheet.tsx";
import { MailState } from "./mail-state.tsx";
import type { OperatorProps } from "./operator-props.ts";
import { RefusedAddresses } from "./refused-addresses.tsx";
import { TestMailDialog } from "./test-mail-dialog.tsx";

const COLUMNS: readonly Column<Mail>[] = [
  {
    id: "subject",
    header: t`Subject`,
    phone: "title",
    cell: ({ subject }) => <span className="font-medium [overflow-wrap:anywhere]">{subject}</span>,
  },
  {
    id: "to",
    header: t({ message: "To", context: "recipient" }),
    cell: ({ to }) => <span className="[overflow-wrap:anywhere]">{to}</span>,
  },
  {
    id: "state",
    header: t`State`,
    className: "md:w-32",
    cell: (mail) => <MailState mail={mail} />,
  },
  {
    id: "created",
    header: t`Created`,
    className: "md:w-36",
    cell: ({ createdAt }) => <RelativeTime at={createdAt} isFocusable={false} />,
  },
];

/** The e-mails of the installation, newest first. */
export function OutboxTab({ search, onSearchChange }: OperatorProps) {
  const { api, config } = usePlatform();
  const { cursor, q, mailState, mailKind } = search;
  const mails = useQuery({
    ...operatorQueries.outbox(api, {
      cursor,
      ...(mailState === undefined ? {} : { state: mailState }),
      ...(mailKind === undefined ? {} : { kind: mailKind }),
      ...(q === undefined ? {} : { to: q }),
    }),
    placeholderData: keepPreviousData,
  });
  const [isTesting, setIsTesting] = useState(false);
  const { mail: _, cursor: __, ...filters } = search;
  const change = (to: { cursor: string | undefined; mail?: string }) =>
    onSearchChange({
      ...filters,
      ...(to.cursor === undefined ? {} : { cursor: to.cursor }),
      ...(to.mail === undefined ? {} : { mail: to.mail }),
    });
  const trail = useCursorTrail({
    cursor,
    nextCursor: mails.data?.nextCursor,
    onCursorChange: (next) => change({ cursor: next }),
  });
  const isFiltered = q !== undefined || mailState !== undefined || mailKind !== undefined;
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-[72ch] text-ink-muted">
          {config.mail.delivers
            ? t`E-mails to people, and whether the mail server accepted them. The text of accepted e-mails is deleted, because links in it are secrets.`
            : t`No mail server is configured, so this installation sends no e-mail: open one to pass its link on yourself.`}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setIsTesting(true)}>
            <Trans>Send a test mail</Trans>
          </Button>
          <Button onClick={() => void mails.refetch()}>
            <Trans>Refresh</Trans>
          </Button>
        </div>
      </div>
      <MailFilters search={search} onSearchChange={onSearchChange} />
      {mails.isError && mails.data === undefined ? (
        <FailureNotice
          what={t`The outbox could not be loaded.`}
          cause={mails.error}
          onRetry={() => void mails.refetch()}
        />
      ) : (
        <DataTable
          label={t`Outbox`}
          columns={COLUMNS}
          rows={mails.data?.items}
          getRowId={({ mailId }) => mailId}
          getRowName={({ subject, to }) => t`${subject} to ${to}`}
          isStale={mails.isPlaceholderData}
          openRowId={search.mail}
          onRowOpen={({ mailId }) => change({ cursor, mail: mailId })}
          empty={
            isFiltered ? (
              <EmptyState
                icon={<MailIcon />}
                title={t`No matching e-mails`}
                action={
                  <Button onClick={() => onSearchChange({})}>
                    <Trans>Show all e-mails</Trans>
                  </Button>
                }
              >
                <Trans>E-mails are listed for 30 days.</Trans>
              </EmptyState>
            ) : (
              <EmptyState icon={<MailIcon />} title={t`No e-mails yet`}>
                <Trans>
                  Invitations, address confirmations and password resets are listed here.
                </Trans>
              </EmptyState>
            )
          }
          footer={
            <PageFooter
              trail={trail}
              count={mails.data?.items.length}
              noun={[t`mail`, t`e-mails, newest first`]}
            />
          }
        />
      )}
      <RefusedAddresses />
      <MailSheet
        mail={mails.data?.items.find(({ mailId }) => mailId === search.mail)}
        onClose={() => change({ cursor })}
      />
      <TestMailDialog isOpen={isTesting} onClose={() => setIsTesting(false)} />
    </div>
  );
}
