import { plural, t } from "@lingui/core/macro";
import { nameOfRole, type RoleName } from "@turnpike/domain/access/scopes";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { SelectField } from "@turnpike/ui/select";
import { TextArea } from "@turnpike/ui/text-area";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import type { OwnTenant } from "#platform/current-tenant.ts";
import { toFormFailure } from "#platform/form-failure.ts";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { isGrantable, type Standing } from "../standing.view-model.ts";
import { InviteOutcomes } from "./invite-outcomes.tsx";
import { ADDRESSES_MAX, listAddresses } from "./invited-addresses.view-model.ts";
import { MailWay } from "./mail-way.tsx";
import { type Outcome, useInvite } from "./use-invite.ts";
import { useRoleOffers } from "./use-roles.ts";

export type InviteDialogProps = {
  tenant: OwnTenant;
  standing: Standing;
  isOpen: boolean;
  onClose: () => void;
};

/** Asks for the addresses and the role of new members, and says what happened to each. */
export function InviteDialog({ tenant, standing, isOpen, onClose }: InviteDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Invite to ${tenant.name}`}
      description={<MailWay />}
    >
      <InviteSteps tenant={tenant} standing={standing} onDone={onClose} />
    </Dialog>
  );
}

type StepsProps = { tenant: OwnTenant; standing: Standing; onDone: () => void };
type Draft = { text: string; role: RoleName; days: Days };
type Days = (typeof DAYS)[number];

const DAYS = ["1", "3", "7", "14", "30"] as const;
const toDayText = (days: Days) => (days === "1" ? "1 day" : t`${days} days`);

function InviteSteps({ tenant, standing, onDone }: StepsProps) {
  const [draft, setDraft] = useState<Draft>({ text: "", role: "developer", days: "7" });
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>();
  if (outcomes !== undefined) {
    return (
      <InviteOutcomes
        outcomes={outcomes}
        onCorrect={(refused) => {
          setDraft({ ...draft, text: refused.join("\n") });
          setOutcomes(undefined);
        }}
        onDone={onDone}
      />
    );
  }
  return (
    <InviteForm
      {...{ tenant, standing, draft, onDone }}
      onDraftChange={setDraft}
      onOutcomes={setOutcomes}
    />
  );
}

type InviteFormProps = StepsProps & {
  draft: Draft;
  onDraftChange: (draft: Draft) => void;
  onOutcomes: (outcomes: readonly Outcome[]) => void;
};

function InviteForm(props: InviteFormProps) {
  const { tenant, standing, draft, onDraftChange, onDone } = props;
  useUnsaved(draft.text.trim() !== "");
  const invite = useInvite(tenant.tenantId);
  const submitOnce = useSubmitOnce(invite.mutateAsync, "settled");
  const failure = toFormFailure(invite.error, { text: "/emails", role: "/role" });
  const roles = useRoleOffers(tenant.tenantId).filter(({ held }) => isGrantable(standing, held));
  const emails = listAddresses(draft.text);
  const isTooLong = emails.length > ADDRESSES_MAX;

  function submit(): void {
    submitOnce(
      { emails: [...emails], role: draft.role, expiresInDays: Number(draft.days) },
      {
        onSuccess: ({ items, refused }) => {
          const [only] = items;
          if (refused > 0 || items.some(({ invitation }) => invitation?.link != null)) {
            props.onOutcomes(items);
            return;
          }
          toast.success(
            plural(items.length, {
              one: `The invitation to ${only?.email ?? ""} is on its way.`,
              other: `${String(items.length)} invitations are on their way.`,
            }),
          );
          onDone();
        },
      },
    );
  }

  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onDone}
      action={emails.length > 1 ? t`Send ${String(emails.length)} invitations` : t`Send invitation`}
      progress={invite.isPending ? t`Sending…` : undefined}
      isDisabled={emails.length === 0 || isTooLong}
      failure={t`No invitation was sent.`}
      errors={failure?.messages}
    >
      <TextArea
        label={t`E-mail addresses`}
        help={t`One, or up to ${String(ADDRESSES_MAX)}: one a line, or separated by commas.`}
        name="emails"
        value={draft.text}
        autoComplete="off"
        spellCheck={false}
        error={
          isTooLong
            ? t`These are ${String(emails.length)} addresses: send at most ${String(ADDRESSES_MAX)} at once.`
            : failure?.fields.text
        }
        onChange={(event) => onDraftChange({ ...draft, text: event.currentTarget.value })}
      />
      <SelectField
        label={t`Role`}
        help={roles.find(({ held }) => nameOfRole(held) === draft.role)?.note}
        value={draft.role}
        error={failure?.fields.role}
        choices={roles.map(({ held, title, note }) => ({
          value: nameOfRole(held),
          label: title,
          note,
        }))}
        onValueChange={(role) => onDraftChange({ ...draft, role })}
      />
      <SelectField
        label={t`Link works for`}
        value={draft.days}
        choices={DAYS.map((days) => ({ value: days, label: toDayText(days) }))}
        onValueChange={(days) => onDraftChange({ ...draft, days })}
      />
    </DialogForm>
  );
}
