import { t } from "@lingui/core/macro";
import { FileDrop } from "@turnpike/ui/file-drop";
import ImageUp from "lucide-react/icons/image-up";

export type ChoosePictureProps = {
  /** What is wrong with the last one. */
  error: string | undefined;
  onChoose: (file: File) => void;
};

/** Takes a picture for a logo. */
export function ChoosePicture({ error, onChoose }: ChoosePictureProps) {
  return (
    <FileDrop
      icon={<ImageUp className="size-5 shrink-0 text-ink-faint" aria-hidden="true" />}
      label={t`Choose a picture`}
      note={t`Or drop it here. PNG, JPEG, WebP, GIF, AVIF or SVG, at most 5 MB.`}
      accept=".png,.jpg,.jpeg,.webp,.gif,.avif,.svg"
      error={error}
      isCompact
      onChoose={onChoose}
    />
  );
}
