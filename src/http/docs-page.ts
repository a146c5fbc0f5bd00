import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from './page.ts';

// Only these of the package's files are ever served, whatever a request asks for.
const assetTypes: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

// Swagger UI sets style attributes and draws its icons from data: addresses; scripts and requests stay with this origin.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>API</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

// Without `validatorUrl: null` the viewer would send the document to a validator on the internet.
const startScript = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
});
`;

const assets = new Map<string, Page>();

/** The documentation viewer, at `/docs` and `/docs/`, and its files. Null: no such file. */
export function docsPage(path: string): Page | null {
  if (path === '/docs' || path === '/docs/')
    return { body: html, contentType: 'text/html; charset=utf-8', contentSecurityPolicy };
  if (path === '/docs/start.js') return { body: startScript, contentType: 'text/javascript; charset=utf-8' };
  const name = path.startsWith('/docs/') ? path.slice('/docs/'.length) : '';
  const contentType = assetTypes.get(name);
  return contentType === undefined ? null : (assets.get(name) ?? readAsset(name, contentType));
}

function readAsset(name: string, contentType: string): Page {
  const file = createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
  const page = { body: readFileSync(file), contentType, cacheControl: 'public, max-age=3600' };
  assets.set(name, page);
  return page;
}
