/** What a person is called: by name, else by address, else by id. */
export function nameMember(person: {
  userId: string;
  name: string | null;
  email: string | null;
}): string {
  return person.name ?? person.email ?? person.userId;
}
