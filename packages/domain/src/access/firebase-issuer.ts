/** The issuer of the ID tokens of a project of Firebase. */
export function toFirebaseIssuer(projectId: string): string {
  return `https://securetoken.google.com/${projectId}`;
}
