/** What lets style elements made by this page through its content security policy; the server puts it into the page. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
