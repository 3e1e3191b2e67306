import { t } from "@lingui/core/macro";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { toast } from "#platform/toast.ts";
import type { TenantId } from "../analytics.queries.ts";
import type { UsageExport } from "./exports.queries.ts";
import { saveAddress } from "./save-address.ts";

/** The actions of an export. Each reports its result. */
export function useExportActions(tenantId: TenantId) {
  const { api } = usePlatform();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: ["exports", tenantId] });
  const onError = (error: unknown) => void toast.error(toErrorMessage(error));
  const download = useMutation({
    mutationKey: ["exports", "download"],
    mutationFn: ({ exportId }: UsageExport) => api.exports.download({ tenantId, exportId }),
    onSuccess: ({ url }) => saveAddress(url),
    onError,
  });
  const cancel = useMutation({
    mutationKey: ["exports", "cancel"],
    mutationFn: ({ exportId }: UsageExport) => api.exports.cancel({ tenantId, exportId }),
    onSuccess: ({ name }) => void toast.success(t`The export ${name} was cancelled.`),
    onError,
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationKey: ["exports", "delete"],
    mutationFn: ({ exportId }: UsageExport) => api.exports.delete({ tenantId, exportId }),
    onError,
    onSettled: refresh,
  });
  return { download, cancel, remove };
}
