import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { CodeBlock } from "@turnpike/ui/code-block";
import { DialogActions } from "@turnpike/ui/dialog-actions";
import { useStake } from "@turnpike/ui/unsaved";
import { useRef } from "react";
import type { Outcome } from "./use-invite.ts";

export type InviteOutcomesProps = {
  outcomes: readonly Outcome[];
  /** Goes back to the form with the addresses that were refused. */
  onCorrect: (refused: readonly string[]) => void;
  onDone: () => void;
};

/** What happened to each address: its link to pass on where no mail is delivered, or why it was refused. */
export function InviteOutcomes({ outcomes, onCorrect, onDone }: InviteOutcomesProps) {
  const refused = outcomes.filter(({ error }) => error !== null);
  const hasLinks = outcomes.some(({ invitation }) => invitation?.link != null);
  const done = useRef<HTMLButtonElement>(null);
  useStake("secret", hasLinks, done);
  return (
    <section ref={focusOnMount} tabIndex={-1} aria-label={t`Outcome`} className="outline-none">
      <p className="mb-3 font-medium">
        {toSummary(outcomes.length - refused.length, refused.length)}
      </p>
      {hasLinks && (
        <p className="mb-3 text-ink-muted">
          <Trans>
            Pass each link on yourself. It is shown only now and works for an account with that
            address alone.
          </Trans>
        </p>
      )}
      <ul
        aria-label={t`Addresses`}
        className="max-h-80 divide-y divide-line overflow-y-auto border-line border-y"
      >
        {outcomes.map((outcome, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an address may be in the list twice
          <li key={index} className="py-2.5">
            <OutcomeLine outcome={outcome} />
          </li>
        ))}
      </ul>
      <DialogActions>
        {refused.length > 0 && (
          <Button onClick={() => onCorrect(refused.map(({ email }) => email))}>
            <Trans>Correct and send again</Trans>
          </Button>
        )}
        <Button ref={done} look="primary" onClick={onDone}>
          <Trans>Done</Trans>
        </Button>
      </DialogActions>
    </section>
  );
}

function OutcomeLine({ outcome: { email, invitation, error } }: { outcome: Outcome }) {
  return (
    <>
      <p className="font-medium [overflow-wrap:anywhere]">{email}</p>
      {error !== null && (
        <p className="text-danger">
          <Trans>Not invited: {error.message}</Trans>
        </p>
      )}
      {invitation !== null &&
        (invitation.link === null ? (
          <p className="text-ink-muted">
            <Trans>Invited.</Trans>
          </p>
        ) : (
          <CodeBlock code={invitation.link} subject={t`link for ${email}`} />
        ))}
    </>
  );
}

function toSummary(sent: number, refused: number): string {
  const people = plural(sent, {
    one: "1 person is invited",
    other: `${String(sent)} people are invited`,
  });
  return refused === 0 ? `${people}.` : t`${people}, ${String(refused)} not.`;
}

/** The button that sent is gone, so the focus moves to what replaced the form, which is then read out. */
function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
}
