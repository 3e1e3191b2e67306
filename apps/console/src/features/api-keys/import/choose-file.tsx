import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { CodeBlock } from "@turnpike/ui/code-block";
import { FileDrop } from "@turnpike/ui/file-drop";
import FileUp from "lucide-react/icons/file-up";

export type ChooseFileProps = {
  /** Why the last file could not be read. */
  error: string | undefined;
  onChoose: (file: File) => void;
};

const EXAMPLE = t`hash,name,environment,lastFour,scopes,externalId
b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9,production,live,x7Qz,usage:read,k-1`;

/** Takes a file of keys, and describes the format. */
export function ChooseFile({ error, onChoose }: ChooseFileProps) {
  return (
    <div className="space-y-5">
      <FileDrop
        icon={<FileUp className="mb-1 size-6 text-ink-faint" aria-hidden="true" />}
        label={t`Choose a CSV or JSON file`}
        note={t`Or drop it here. At most 100,000 rows. You see the result before anything is imported.`}
        accept=".csv,.json,text/csv,application/json"
        error={error}
        isFocused={error !== undefined}
        onChoose={onChoose}
      />
      <div className="space-y-2">
        <p className="font-medium">
          <Trans>File format</Trans>
        </p>
        <p className="text-ink-muted">
          <Trans>
            A CSV with a header line, or a JSON array of objects with these fields.{" "}
            <code className="font-mono text-[0.8125rem]">hash</code> is the SHA-256 of the key’s
            text, in hexadecimal or base64; <code className="font-mono text-[0.8125rem]">name</code>{" "}
            is what people see. The rest is optional:{" "}
            <a className="underline underline-offset-4" href="/docs/api#importing-keys-that-exist">
              all fields
            </a>
            .
          </Trans>
        </p>
        <CodeBlock code={EXAMPLE} subject={t`A CSV of keys`} />
      </div>
    </div>
  );
}
