/** `/privacy` */
export function PrivacyPage() {
  return (
    <main className="mx-auto max-w-6xl px-4 py-12">
      <h1 className="font-semibold text-xl">Privacy</h1>
    </main>
  );
}
