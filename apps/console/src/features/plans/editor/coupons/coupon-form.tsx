import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { editorQueries } from "../editor.queries.ts";
import {
  COUPON_POINTERS,
  type CouponDraft,
  EMPTY_COUPON,
  toCouponInput,
} from "./coupon.view-model.ts";

const KINDS = [
  { value: "percent", label: t`Per cent` },
  { value: "amount", label: t`Amount` },
] as const;

type TextName = Exclude<keyof CouponDraft, "kind">;

/** The form of a new coupon. What it gives cannot be changed later. */
export function CouponForm({ onDone }: { onDone: () => void }) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const [draft, setDraft] = useState(EMPTY_COUPON);
  useUnsaved(draft !== EMPTY_COUPON);
  const create = useMutation({
    mutationKey: ["plan-editor", "create-coupon"],
    mutationFn: () => api.catalog.createCoupon(toCouponInput(draft)),
    onSuccess: async (coupon) => {
      toast.success(t`${coupon.name} can be redeemed now.`);
      onDone();
      await client.invalidateQueries({ queryKey: editorQueries.coupons(api).queryKey });
    },
  });
  const submitOnce = useSubmitOnce(create.mutateAsync, "failed");
  const failure = toFormFailure(create.error, COUPON_POINTERS);
  const field = (name: TextName) => ({
    name,
    autoComplete: "off",
    value: draft[name],
    error: failure?.fields[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      setDraft({ ...draft, [name]: currentTarget.value }),
  });
  return (
    <DialogForm
      onSubmit={() => submitOnce()}
      onCancel={onDone}
      action={t`Create coupon`}
      progress={create.isPending ? t`Creating…` : undefined}
      failure={t`The coupon was not created.`}
      errors={failure?.messages}
    >
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label={t`Name`}
          help={t`What customers read.`}
          maxLength={60}
          {...field("name")}
        />
        <TextField
          label={t`Code`}
          help={t`What customers type to redeem it.`}
          isMono
          spellCheck={false}
          maxLength={64}
          placeholder={t`spring-2027`}
          {...field("couponId")}
        />
        <div className="min-w-0">
          <p className="mb-1 font-medium text-sm">
            <Trans>Off</Trans>
          </p>
          <SegmentedControl
            label={t`Off`}
            segments={KINDS}
            value={draft.kind}
            onValueChange={(kind) => setDraft({ ...draft, kind })}
          />
        </div>
        {draft.kind === "percent" ? (
          <TextField
            label={t`Per cent`}
            inputMode="decimal"
            maxLength={16}
            placeholder="20"
            {...field("percent")}
          />
        ) : (
          <div className="grid grid-cols-[1fr_5rem] items-start gap-2">
            <TextField
              label={t`Amount each period`}
              inputMode="decimal"
              maxLength={14}
              placeholder="10"
              {...field("amount")}
            />
            <TextField label={t`Currency`} isMono maxLength={3} {...field("currency")} />
          </div>
        )}
        <TextField
          isOptional
          label={t`Periods`}
          help={t`How many it holds. Empty: all.`}
          inputMode="numeric"
          maxLength={4}
          {...field("periods")}
        />
        <TextField
          isOptional
          label={t`Cards`}
          help={t`Keys of the rate cards that it lowers. Empty: the whole invoice.`}
          isMono
          spellCheck={false}
          {...field("cards")}
        />
        <TextField
          isOptional
          label={t`Redeemable until`}
          help={t`The last day, UTC.`}
          type="date"
          {...field("redeemBy")}
        />
        <TextField
          isOptional
          label={t`Redemptions`}
          help={t`How many customers can redeem it. Empty: any number.`}
          inputMode="numeric"
          maxLength={10}
          {...field("maxRedemptions")}
        />
      </div>
    </DialogForm>
  );
}
