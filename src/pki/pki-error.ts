/** What is wrong with a key, a certificate or a name, in one line that names the file and says what to do. Safe to print as it is. */
export class PkiError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PkiError';
  }
}

/** The code of a failed system call (`EACCES`), or the error's own text on one line. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 200);
}
