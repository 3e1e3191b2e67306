export type FormErrorsProps = {
  /** What did not work: "The key was not created." */
  title: string | undefined;
  /** The errors in words; those of a field are shown beside it as well. */
  errors: readonly string[];
};

/** What keeps a form from being accepted, gathered in one place and read out. Nothing while nothing is wrong. */
export function FormErrors({ title, errors }: FormErrorsProps) {
  return (
    <div role="alert" className="empty:hidden">
      {title !== undefined && (
        <div className="rounded-control border border-danger/30 bg-danger-soft px-3 py-2.5">
          <p className="font-medium text-danger">{title}</p>
          {errors.length > 0 && (
            <ul className="mt-1 list-disc pl-5">
              {errors.map((error) => (
                <li key={error} className="[overflow-wrap:anywhere]">
                  {error}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </div>
  );
}
