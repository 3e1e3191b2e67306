import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { Button } from "@turnpike/ui/button";
import Download from "lucide-react/icons/download";
import type { Invoice } from "#platform/billing-queries.ts";
import { toErrorMessage } from "#platform/error-message.ts";
import { usePlatform } from "#platform/platform.tsx";
import { downloadFile, saveJson } from "#platform/save-file.ts";
import { toast } from "#platform/toast.ts";
import { toFileName } from "./invoice.view-model.ts";

type Ending = "pdf" | "csv" | "xml";

const FILES = [
  { ending: "pdf", label: t`Download invoice as PDF` },
  { ending: "csv", label: t`Download lines as CSV` },
  { ending: "xml", label: t`Download invoice as XML (EN 16931)` },
] as const;

/** Downloads a file of an invoice, or of a credit note of it. */
function useDownload({ tenantId, invoiceId }: Invoice) {
  const { config, session } = usePlatform();
  return useMutation({
    mutationKey: ["billing", "download"],
    mutationFn: ({
      number,
      ending,
      query = "",
    }: {
      number: string;
      ending: Ending;
      query?: string;
    }) =>
      downloadFile({
        getIdToken: session.getIdToken,
        url: `${config.urls.api}/v1/tenants/${tenantId}/invoices/${invoiceId}/${ending}${query}`,
        fileName: toFileName(number, ending),
      }),
    onError: (error) => void toast.error(toErrorMessage(error)),
  });
}

/** An invoice as files. */
export function InvoiceDownloads({ invoice }: { invoice: Invoice }) {
  const download = useDownload(invoice);
  return (
    <>
      {FILES.map(({ ending, label }) => (
        <Button
          key={ending}
          aria-label={label}
          progress={
            download.isPending && download.variables.ending === ending ? t`Preparing…` : undefined
          }
          onClick={() => download.mutate({ number: invoice.number, ending })}
        >
          <Download aria-hidden="true" className="size-4" />
          {ending.toUpperCase()}
        </Button>
      ))}
      <Button
        aria-label={t`Download invoice as JSON`}
        onClick={() => saveJson(invoice, toFileName(invoice.number, "json"))}
      >
        <Download aria-hidden="true" className="size-4" />
        <Trans>JSON</Trans>
      </Button>
    </>
  );
}

/** A credit note of an invoice as files. */
export function CreditNoteDownloads({
  invoice,
  note: { creditNoteId, number },
}: {
  invoice: Invoice;
  note: Invoice["creditNotes"][number];
}) {
  const download = useDownload(invoice);
  const query = `?creditNote=${encodeURIComponent(creditNoteId)}`;
  return (
    <span className="flex gap-2">
      {(["pdf", "xml"] as const).map((ending) => (
        <Button
          key={ending}
          size="small"
          aria-label={t`Download ${number} as ${ending.toUpperCase()}`}
          progress={
            download.isPending && download.variables.ending === ending ? t`Preparing…` : undefined
          }
          onClick={() => download.mutate({ number, ending, query })}
        >
          <Download aria-hidden="true" className="size-3.5" />
          {ending.toUpperCase()}
        </Button>
      ))}
    </span>
  );
}
