/** Something served outside the API: a page, a script, a picture. */
export interface Page {
  readonly body: string | Buffer;
  readonly contentType: string;
  /** Over the default, which forbids everything. */
  readonly contentSecurityPolicy?: string;
  readonly cacheControl?: string;
}
