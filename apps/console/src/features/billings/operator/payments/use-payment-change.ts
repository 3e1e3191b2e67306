import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ApiClient } from "#platform/api-client.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import { useSubmitOnce } from "#platform/use-submit-once.ts";
import { refreshPayments } from "./payments.queries.ts";

/** Changes something about payments, once for each press, and shows what came of it. */
export function usePaymentChange<Variables, Answer>(input: {
  change: (payments: ApiClient["payments"], variables: Variables) => Promise<Answer>;
  toSuccess: (answer: Answer) => string;
  onDone?: () => void;
}) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const mutation = useMutation({
    mutationKey: ["payments", "change"],
    mutationFn: (variables: Variables) => input.change(api.payments, variables),
    onSuccess: async (answer) => {
      toast.success(input.toSuccess(answer));
      input.onDone?.();
      await refreshPayments(client);
    },
  });
  const isKept = input.onDone === undefined;
  return { mutation, submit: useSubmitOnce(mutation.mutateAsync, isKept ? "settled" : "failed") };
}
