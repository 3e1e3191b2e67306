import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Dialog } from "@turnpike/ui/dialog";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { Skeleton } from "@turnpike/ui/skeleton";
import { type RefObject, useRef, useState } from "react";
import { FailureNotice } from "#components/failure-notice.tsx";
import { type BillingPlace, paymentSetupQuery } from "#platform/billing-queries.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSettled } from "#platform/use-settled.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { ChangeFields } from "./change-fields.tsx";
import {
  type ChangeRequest,
  toAction,
  toChangeTitle,
  toDoneText,
  toFirstDetails,
} from "./change-request.view-model.ts";
import { toConfirmLabel } from "./quote.view-model.ts";
import { QuoteView } from "./quote-view.tsx";
import { useQuotedChange } from "./use-quoted-change.ts";

/** Without a field that has to be filled in, the quote is what is read first. */
const READ_FIRST: readonly ChangeRequest["do"][] = ["subscribe"];

export type ChangeDialogProps = {
  place: BillingPlace;
  /** Undefined: closed. */
  request: ChangeRequest | undefined;
  /** Takes the focus after a change: the button that asked for it may be gone. */
  doneFocus: RefObject<HTMLElement | null>;
  onClose: () => void;
};

/** Shows what a change of the subscription comes to, and does exactly that once it is confirmed. */
export function ChangeDialog({ place, request, doneFocus, onClose }: ChangeDialogProps) {
  const quoted = useRef<HTMLElement>(null);
  const [isDone, setIsDone] = useState(false);

  function close(isConfirmed: boolean): void {
    setIsDone(isConfirmed);
    onClose();
  }

  return (
    <Dialog
      isOpen={request !== undefined}
      onClose={() => close(false)}
      title={request === undefined ? "" : toChangeTitle(request)}
      {...(place.environment === "test" && {
        description: t`In the sandbox: computed as it would be, and nothing is owed.`,
      })}
      size="wide"
      {...(request !== undefined && READ_FIRST.includes(request.do) && { initialFocus: quoted })}
      {...(isDone && { finalFocus: doneFocus })}
    >
      {request !== undefined && (
        <ChangeForm
          place={place}
          request={request}
          quotedRef={quoted}
          onCancel={() => close(false)}
          onDone={() => close(true)}
        />
      )}
    </Dialog>
  );
}

type ChangeFormProps = {
  place: BillingPlace;
  request: ChangeRequest;
  /** Takes the part that says what the change comes to. */
  quotedRef: RefObject<HTMLElement | null>;
  onCancel: () => void;
  /** Once the change was made. */
  onDone: () => void;
};

function ChangeForm({ place, request, quotedRef, onCancel, onDone }: ChangeFormProps) {
  const [details, setDetails] = useState(() => toFirstDetails(request));
  const seats = useSettled(details.seats);
  const couponId = useSettled(details.couponId);
  const reason = useSettled(details.reason);
  const { when, startsOn } = details;
  const action = toAction(request, { when, startsOn, seats, couponId, reason });
  const isSettled =
    seats === details.seats && couponId === details.couponId && reason === details.reason;
  const { quote, confirm, changes, failure } = useQuotedChange(place, action);
  const confirmOnce = useSubmitOnce(confirm.mutateAsync, "failed");
  const setup = useQuery(paymentSetupQuery(usePlatform().api, place));
  const shown = action === undefined ? undefined : quote.data;
  const isReadFirst = READ_FIRST.includes(request.do);
  const fields = (
    <ChangeFields
      request={request}
      details={details}
      quote={shown}
      onChange={(more) => setDetails({ ...details, ...more })}
    />
  );

  function submit(): void {
    if (shown === undefined || !isSettled) {
      return;
    }
    confirmOnce(shown, {
      onSuccess: (subscription) => {
        toast.success(toDoneText(request, subscription));
        onDone();
      },
    });
  }

  return (
    <DialogForm
      onSubmit={submit}
      onCancel={onCancel}
      action={shown === undefined ? t`Confirm` : toConfirmLabel(shown)}
      cancel={t`Back`}
      progress={confirm.isPending ? t`Confirming…` : undefined}
      isDisabled={shown === undefined || !isSettled}
      failure={t`Nothing was changed.`}
      errors={failure === null ? undefined : [toErrorMessage(failure)]}
    >
      {changes !== undefined && (
        <div role="alert" className="rounded-control bg-warning-soft px-3 py-2.5">
          <p className="font-medium text-warning">
            <Trans>This changed while you were reading.</Trans>
          </p>
          <ul className="mt-1 tabular-nums">
            {changes.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          <p className="mt-1">
            <Trans>Nothing was charged. Confirm again if you agree.</Trans>
          </p>
        </div>
      )}
      {!isReadFirst && fields}
      <section
        ref={quotedRef}
        tabIndex={-1}
        aria-label={t`What it comes to`}
        className="outline-none"
      >
        {shown !== undefined ? (
          <QuoteView quote={shown} setup={place.environment === "live" ? setup.data : undefined} />
        ) : action !== undefined && quote.isError ? (
          <FailureNotice
            what={t`This cannot be done.`}
            cause={quote.error}
            onRetry={() => void quote.refetch()}
          />
        ) : (
          action !== undefined && (
            <div role="status" aria-label={t`Computing what it comes to`} className="space-y-3">
              <Skeleton className="h-5 w-2/3" />
              <Skeleton className="h-28 w-full" />
              <Skeleton className="h-16 w-full" />
            </div>
          )
        )}
      </section>
      {isReadFirst && fields}
    </DialogForm>
  );
}
