import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { CodeBlock } from "@turnpike/ui/code-block";
import { RelativeTime } from "@turnpike/ui/relative-time";
import { Sheet } from "@turnpike/ui/sheet";
import type { ReactNode } from "react";
import { formatCount } from "#platform/format.ts";
import type { Mail } from "../tenants.queries.ts";
import { listLinks } from "./mail.view-model.ts";
import { MailFiles } from "./mail-files.tsx";
import { MailPreview } from "./mail-preview.tsx";
import { MailState } from "./mail-state.tsx";
import { MailTrouble } from "./mail-trouble.tsx";

export type MailSheetProps = { mail: Mail | undefined; onClose: () => void };

/** One e-mail next to the list. Its links are plain text: opening one here would use up a link meant for someone else. */
export function MailSheet({ mail, onClose }: MailSheetProps) {
  return (
    <Sheet
      isOpen={mail !== undefined}
      onClose={onClose}
      title={mail?.subject ?? t`Mail`}
      {...(mail !== undefined && {
        description: (
          <span className="[overflow-wrap:anywhere]">
            <Trans>to {mail.to}</Trans>
          </span>
        ),
      })}
    >
      {mail !== undefined && <MailDetails mail={mail} />}
    </Sheet>
  );
}

function MailDetails({ mail }: { mail: Mail }) {
  return (
    <div className="space-y-5">
      <dl className="divide-y divide-line border-line border-y">
        <Fact name={t`State`}>
          <MailState mail={mail} />
        </Fact>
        <Fact name={t`Created`}>
          <RelativeTime at={mail.createdAt} />
        </Fact>
        {mail.sentAt !== null && mail.text === null && (
          <Fact name={t`Sent`}>
            <RelativeTime at={mail.sentAt} />
          </Fact>
        )}
        <Fact name={t`Attempts`}>{formatCount(mail.attempts)}</Fact>
      </dl>
      <MailTrouble mail={mail} />
      {/* What brings files leads to the console, for anyone who may sign in: that is no link to pass on. */}
      {mail.text !== null && mail.attachments.length === 0 && (
        <Links links={listLinks(mail.text)} />
      )}
      <MailFiles mail={mail} />
      {mail.text !== null && <MailPreview mailId={mail.mailId} />}
      <section aria-labelledby="mail-text">
        <h3 id="mail-text" className="mb-2 font-semibold">
          <Trans>Text</Trans>
        </h3>
        {mail.text === null ? (
          <p className="text-ink-muted">
            <Trans>
              Deleted once the mail server accepted the e-mail, because links in it are secrets.
            </Trans>
          </p>
        ) : (
          <pre className="rounded-control border border-line bg-sunken p-3 font-mono text-[0.8125rem] leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]">
            {mail.text}
          </pre>
        )}
      </section>
    </div>
  );
}

function Links({ links }: { links: readonly string[] }) {
  if (links.length === 0) {
    return null;
  }
  return (
    <section aria-labelledby="mail-links" className="space-y-2">
      <h3 id="mail-links" className="font-semibold">
        {plural(links.length, { one: "Link to pass on", other: "Links to pass on" })}
      </h3>
      {links.map((link) => (
        <CodeBlock key={link} code={link} subject={t`link of the mail`} />
      ))}
      <p className="text-ink-muted text-xs">
        <Trans>Send it to the person it is meant for. It works once, and only for them.</Trans>
      </p>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-center justify-between gap-3 py-2">
      <dt className="text-ink-muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
