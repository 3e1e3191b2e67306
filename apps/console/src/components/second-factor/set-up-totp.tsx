import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { CopyButton } from "@turnpike/ui/copy-button";
import { encode } from "uqr";
import { CodeForm } from "./code-form.tsx";
import type { BegunTotp } from "./factor-calls.ts";

export type SetUpTotpProps = { begun: BegunTotp; confirm: (code: string) => Promise<void> };

/** Shows what an app for one-time codes needs; its first code confirms it. */
export function SetUpTotp({ begun, confirm }: SetUpTotpProps) {
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-muted">
        <Trans>
          Scan this with an app for one-time codes, such as the one of your password manager.
        </Trans>
      </p>
      <QrCode text={begun.uri} />
      <div>
        <p className="text-ink-muted text-xs">
          <Trans>Or type this key into the app:</Trans>
        </p>
        <div className="flex flex-wrap items-center gap-2">
          <code className="break-all font-mono text-sm">
            {begun.secret.replaceAll(/(.{4})(?=.)/g, "$1 ")}
          </code>
          <CopyButton value={begun.secret} subject={t`the key`} />
        </div>
      </div>
      <CodeForm kind="totp" action={t`Confirm the code`} progress={t`Confirming…`} send={confirm} />
    </div>
  );
}

/** Black on white in either theme: cameras read nothing else for sure. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { ecc: "M", border: 2 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg
      role="img"
      aria-label={t`QR code for your app`}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-control border border-line"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
