import { useEffect, useState } from 'react';

const SAID_MS = 4000;

/** Puts a text on the clipboard; for some seconds it says so. */
export function useCopy(text: string): { readonly isCopied: boolean; readonly copy: () => void } {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return { isCopied, copy: () => void copyText(text).then(setCopied) };
}

// False when the browser does not let it.
async function copyText(text: string): Promise<boolean> {
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
