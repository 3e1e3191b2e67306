import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { Menu, MenuItem } from "@turnpike/ui/menu";
import Ban from "lucide-react/icons/ban";
import ChevronDown from "lucide-react/icons/chevron-down";
import CircleSlash from "lucide-react/icons/circle-slash";
import { useState } from "react";
import type { Invoice } from "#platform/billing-queries.ts";
import { isCreditable } from "./credit.view-model.ts";
import { CreditDialog } from "./credit-dialog.tsx";
import { listChanges } from "./invoice-changes.view-model.ts";
import { PaymentDialog } from "./payment-dialog.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";

type Asked = "payment" | "credit" | "void" | "writeOff";

/** What an operator can do to an issued invoice. Each asks for a reason or a reference, which the audit log keeps. */
export function InvoiceActions({ invoice }: { invoice: Invoice }) {
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const { mayVoid, mayWriteOff, mayPay } = listChanges(invoice);
  return (
    <>
      {mayPay && (
        <Button look="primary" onClick={() => setAsked("payment")}>
          <Trans>Record payment</Trans>
        </Button>
      )}
      {isCreditable(invoice) && (
        <Button onClick={() => setAsked("credit")}>
          <Trans>Credit…</Trans>
        </Button>
      )}
      {(mayVoid || mayWriteOff) && (
        <Menu
          trigger={
            <Button aria-label={t`More actions`}>
              <Trans>More</Trans>
              <ChevronDown aria-hidden="true" className="size-4" />
            </Button>
          }
        >
          {mayVoid && (
            <MenuItem isDanger icon={<Ban aria-hidden="true" />} onSelect={() => setAsked("void")}>
              <Trans>Void…</Trans>
            </MenuItem>
          )}
          {mayWriteOff && (
            <MenuItem
              isDanger
              icon={<CircleSlash aria-hidden="true" />}
              onSelect={() => setAsked("writeOff")}
            >
              <Trans>Write off…</Trans>
            </MenuItem>
          )}
        </Menu>
      )}
      <PaymentDialog invoice={invoice} isOpen={asked === "payment"} onClose={close} />
      <CreditDialog invoice={invoice} isOpen={asked === "credit"} onClose={close} />
      <ReasonDialog
        invoice={invoice}
        change={asked === "void" || asked === "writeOff" ? asked : undefined}
        onClose={close}
      />
    </>
  );
}
