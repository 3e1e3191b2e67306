/** `/register` */
export function RegisterPage() {
  return (
    <main className="mx-auto max-w-6xl px-4 py-12">
      <h1 className="font-semibold text-xl">Create your account</h1>
    </main>
  );
}
