/** Keys to press together, such as `["Ctrl", "K"]`. */
export function Kbd({ keys }: { keys: readonly string[] }) {
  return (
    <kbd className="inline-flex shrink-0 items-center gap-0.5 font-sans">
      {keys.map((key) => (
        <span
          key={key}
          className="grid h-5 min-w-5 place-items-center rounded border border-line bg-sunken px-1 text-ink-muted text-xs leading-none"
        >
          {key}
        </span>
      ))}
    </kbd>
  );
}
