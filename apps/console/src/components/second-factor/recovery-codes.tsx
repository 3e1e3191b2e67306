import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@turnpike/ui/button";
import { CopyButton } from "@turnpike/ui/copy-button";
import { usePlatform } from "#platform/platform.tsx";

export type RecoveryCodesProps = { codes: readonly string[]; onSaved: () => void };

/** Recovery codes, which are shown this one time. */
export function RecoveryCodes({ codes, onSaved }: RecoveryCodesProps) {
  const { config } = usePlatform();
  const text = `${codes.join("\n")}\n`;
  return (
    <section aria-label={t`Recovery codes, shown once`} className="flex flex-col gap-3">
      <p className="text-ink-muted">
        <Trans>
          Each of these codes signs you in once when you have lost your second factor. Keep them
          apart from your password, on paper or in a password manager. They are not shown again.
        </Trans>
      </p>
      <ol className="grid grid-cols-1 gap-x-6 gap-y-1 rounded-control border border-line bg-sunken p-3 font-mono text-sm tabular-nums min-[26rem]:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="flex flex-wrap items-center gap-2">
        <CopyButton value={text} subject={t`the recovery codes`} />
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download={t`${config.brand.name} recovery codes.txt`}
          className="inline-flex h-8 items-center rounded-control px-2 font-medium text-ink-muted text-xs hover:bg-hover hover:text-ink"
        >
          <Trans>Download</Trans>
        </a>
      </div>
      <Button look="primary" onClick={onSaved}>
        <Trans>I have saved them</Trans>
      </Button>
    </section>
  );
}
