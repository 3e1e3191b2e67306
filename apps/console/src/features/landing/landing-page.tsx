/** `/` */
export function LandingPage() {
  return (
    <main className="mx-auto max-w-6xl px-4 py-12">
      <h1 className="font-semibold text-xl">Turn any HTTP API into a self-serve, paid product</h1>
    </main>
  );
}
