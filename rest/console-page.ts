import { html } from '../http/html.js';

/**
 * The console's frame: what is in it comes by script (console/app).
 * @param assets the path below which its scripts and styles lie
 */
export const renderConsole = (assets: string): string =>
  String(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1">
          <title>Palisade</title>
          <link rel="icon" href="data:,">
          <link rel="stylesheet" href="${assets}/app-style.css">
          <script type="module" src="${assets}/app.js"></script>
        </head>
        <body>
          <div id="console">
            <header class="bar"><span class="brand">Palisade</span></header>
            <noscript>
              <main class="message">
                <p>The console runs scripts of this server. The <a href="/gateway/docs">REST reference</a> needs none.</p>
              </main>
            </noscript>
          </div>
        </body>
      </html>`,
  );
