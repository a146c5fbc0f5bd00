import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A page with the places for a nonce that the real one has. */
const stubPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="csp-nonce" content="__CSP_NONCE__">
<title>Stub</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/hub/assets/main-Cd34Ef56.css" nonce="__CSP_NONCE__">
<script type="module" src="/hub/assets/main-Ab12Cd34.js" nonce="__CSP_NONCE__"></script>
</head>
<body><main id="root"></main></body>
</html>
`;

/** A folder as the build leaves it, packed by the real script: these files, a page among them. The caller removes it. */
export async function stubHub(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tagkeep-hub-'));
  for (const [name, contents] of Object.entries({ 'index.html': stubPage, ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), contents);
  }
  // A script without types.
  const { packHub } = (await import(pathToFileURL(resolve('scripts/hub/pack.mjs')).href)) as {
    packHub(folder: string): Promise<unknown>;
  };
  await packHub(folder);
  return folder;
}
