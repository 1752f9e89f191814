import { html } from '../http/html.js';

/**
 * The explorer's frame: what is in it comes by script (console/explorer).
 * @param assets the path below which its scripts and styles lie
 */
export const renderExplorer = (assets: string): string =>
  String(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1">
          <title>Palisade explorer</title>
          <link rel="icon" href="data:,">
          <link rel="stylesheet" href="${assets}/main-style.css">
          <script type="module" src="${assets}/main.js"></script>
        </head>
        <body>
          <div id="explorer">
            <header class="bar"><h1>Palisade explorer</h1></header>
            <noscript>
              <main class="notice"><p>The explorer runs scripts of this server. The <a href="/gateway/docs">REST reference</a> needs none.</p></main>
            </noscript>
          </div>
        </body>
      </html>`,
  );
