/** Puts a text on the clipboard; false when the browser does not let it. Also where the page came without TLS. */
export async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  // Without TLS only a copy of what is marked is let through; what is copied is taken from the event instead.
  const take = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener('copy', take, { capture: true, once: true });
  const copied = document.execCommand('copy');
  document.removeEventListener('copy', take, { capture: true });
  return copied;
}
