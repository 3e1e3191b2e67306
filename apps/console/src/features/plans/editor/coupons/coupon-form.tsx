import { useMutation, useQueryClient } from "@tanstack/react-query";
import { DialogForm } from "@turnpike/ui/dialog-form";
import { SegmentedControl } from "@turnpike/ui/segmented-control";
import { TextField } from "@turnpike/ui/text-field";
import { useUnsaved } from "@turnpike/ui/unsaved";
import { useState } from "react";
import { toast } from "sonner";
import { toFormFailure } from "#platform/form-failure.ts";
import { usePlatform } from "#platform/platform.tsx";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { editorQueries } from "../editor.queries.ts";
import {
  COUPON_POINTERS,
  type CouponDraft,
  EMPTY_COUPON,
  toCouponInput,
} from "./coupon.view-model.ts";

const KINDS = [
  { value: "percent", label: "Per cent" },
  { value: "amount", label: "Amount" },
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
      toast.success(`${coupon.name} can be redeemed now.`);
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
      action="Create coupon"
      progress={create.isPending ? "Creating…" : undefined}
      failure="The coupon was not created."
      errors={failure?.messages}
    >
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField label="Name" help="What customers read." maxLength={60} {...field("name")} />
        <TextField
          label="Code"
          help="What customers type to redeem it."
          isMono
          spellCheck={false}
          maxLength={64}
          placeholder="spring-2027"
          {...field("couponId")}
        />
        <div className="min-w-0">
          <p className="mb-1 font-medium text-sm">Off</p>
          <SegmentedControl
            label="Off"
            segments={KINDS}
            value={draft.kind}
            onValueChange={(kind) => setDraft({ ...draft, kind })}
          />
        </div>
        {draft.kind === "percent" ? (
          <TextField
            label="Per cent"
            inputMode="decimal"
            maxLength={16}
            placeholder="20"
            {...field("percent")}
          />
        ) : (
          <div className="grid grid-cols-[1fr_5rem] items-start gap-2">
            <TextField
              label="Amount each period"
              inputMode="decimal"
              maxLength={14}
              placeholder="10"
              {...field("amount")}
            />
            <TextField label="Currency" isMono maxLength={3} {...field("currency")} />
          </div>
        )}
        <TextField
          isOptional
          label="Periods"
          help="How many it holds. Empty: all."
          inputMode="numeric"
          maxLength={4}
          {...field("periods")}
        />
        <TextField
          isOptional
          label="Cards"
          help="Keys of the rate cards that it lowers. Empty: the whole invoice."
          isMono
          spellCheck={false}
          {...field("cards")}
        />
        <TextField
          isOptional
          label="Redeemable until"
          help="The last day, UTC."
          type="date"
          {...field("redeemBy")}
        />
        <TextField
          isOptional
          label="Redemptions"
          help="How many customers can redeem it. Empty: any number."
          inputMode="numeric"
          maxLength={10}
          {...field("maxRedemptions")}
        />
      </div>
    </DialogForm>
  );
}
