/** `/terms` */
export function TermsPage() {
  return (
    <main className="mx-auto max-w-6xl px-4 py-12">
      <h1 className="font-semibold text-xl">Terms</h1>
    </main>
  );
}
