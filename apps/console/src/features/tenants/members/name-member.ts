/** A person's name, else their address, else their id. */
export function nameMember(person: {
  userId: string;
  name: string | null;
  email: string | null;
}): string {
  return person.name ?? person.email ?? person.userId;
}
