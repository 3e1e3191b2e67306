import type { ReactNode } from "react";

const TONES = {
  info: "border-line bg-sunken",
  call: "border-line border-l-4 border-l-accent bg-surface",
  ok: "border-ok/30 bg-ok-soft",
  danger: "border-danger/30 bg-danger-soft",
} as const;

export type NoticeProps = {
  tone: keyof typeof TONES;
  title?: string;
  children: ReactNode;
};

/** Information above a form. Screen readers announce a refusal at once. */
export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div
      role={tone === "danger" ? "alert" : "status"}
      className={`rounded-control border px-3 py-2.5 [overflow-wrap:anywhere] ${TONES[tone]}`}
    >
      {title !== undefined && (
        <p className={`font-medium ${tone === "danger" ? "text-danger" : ""}`}>{title}</p>
      )}
      <div className={title === undefined ? "" : "mt-0.5 text-ink-muted"}>{children}</div>
    </div>
  );
}
